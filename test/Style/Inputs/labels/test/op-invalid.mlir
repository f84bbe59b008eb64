// dot_c1: broken here.
// load_ptr_c3, which no verifier has.
