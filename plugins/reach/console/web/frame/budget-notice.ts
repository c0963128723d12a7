import { formatAge, formatMoney, formatSum } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { onEvent } from '../server/events.ts'
import { showToast } from '../ui/toast.tsx'

/** Says when a budget is nearly spent: one's own, or for administrators that of the server. */
export const followBudgets = () =>
  onEvent((event) => {
    if (event.type !== 'budget.warned') return
    const { scope, amount, currency, spent, resets_at } = event
    showToast(
      t(scope === 'server' ? 'chat.server_budget_near' : 'chat.budget_near', {
        spent: formatSum({ amount: spent, currency }),
        amount: formatMoney(amount, currency),
        when: formatAge(resets_at),
      }),
    )
  })
