B	initial_hJ@Kë?CJ_½Ý}?L«þ¾ˆ°Y?Ä¿.tT¾yz%?û¸$¿ÌöÑ¾%Sô>jõB?E“R>yI ¼ª»¾7
-¿