#include "sim/study.h"
lk_code lk_study_webhooks(lk_lab *lab, lk_figures *out, lk_err *e){(void)lab;(void)out;(void)e;return LK_OK;}
