B	initial_hJ<V%Q½àÌO¿Ê¼>nÓ$¾ïT?|îì=SßE¿A{
¾Z/^¾QFW>‘‚=‰bZ>æ¬Z=•¥>™‚Ú½