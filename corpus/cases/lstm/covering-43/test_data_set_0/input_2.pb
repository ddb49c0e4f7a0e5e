B	initial_cJÝC*?0#3¾'
G¿