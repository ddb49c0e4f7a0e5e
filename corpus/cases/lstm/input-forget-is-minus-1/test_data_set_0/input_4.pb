B	initial_hJ<.Ð-?H¾1›¿z‰
?Y
?gïd?«õ¾aíC¿àCö<¿3Ž>Ce¿‹¶Í=µI¿¥z¾ùh>