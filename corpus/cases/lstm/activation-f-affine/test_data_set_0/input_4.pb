B	initial_hJ<[cT?\<EHL>;*€>Pe>ส{พ O=I4f?]þ/ฟ	พ๒4!ฟrUพ์
ฟ?E[?jซฟ