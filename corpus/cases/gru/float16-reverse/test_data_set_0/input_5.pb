
B	initial_hJ¨ºk5Œ95±Š6Z9w7Ý¹»i¸X°u¶j6”¨ê¸