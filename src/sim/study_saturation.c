#include "sim/study.h"
lk_code lk_study_saturation(lk_lab *lab, lk_figures *out, lk_err *e){(void)lab;(void)out;(void)e;return LK_OK;}
