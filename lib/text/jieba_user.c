#include "text/jieba.h"
int sh_jieba_add_user(struct sh_jieba *j, struct sh_slice text, struct sh_error *err){(void)j;(void)text;(void)err;return -1;}
