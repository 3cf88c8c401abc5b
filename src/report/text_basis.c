/* How sure each finding is, and what would change it. */
#include "report/basis.h"
#include "report/text_part.h"

void lk_text_basis(lk_page *p, const lk_report *r)
{
    lk_basis b;

    if (!lk_basis_of(r, 0, &b))
        return;
    lk_page_heading(p, "How sure, and what would change it", NULL);
    for (size_t i = 0; lk_basis_of(r, i, &b); i++) {
        lk_page_para(p, 2, "%s: %s (%s).", b.finding, b.measured, b.population);
        lk_page_para(p, 6, "Sure: %s. Change: %s.", b.sure, b.change);
    }
}
