"tile.no_such_op"() : () -> ()
