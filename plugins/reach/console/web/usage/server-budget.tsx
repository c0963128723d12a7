import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { type Budget, BudgetField } from '../people/budget-field.tsx'
import { api, client } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { refresh, send } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { Sheet } from '../ui/sheet.tsx'
import { BudgetBar } from './limit-bar.tsx'

/** The budget of all accounts together, which administrators set. */
export function ServerBudget() {
  const { data } = api.useQuery('get', '/admin/budget')
  const [isOpen, setOpen] = useState(false)
  if (!data) return null
  const { budget } = data
  const edit = (
    <Button variant="default" size="xs" w="fit-content" onClick={() => setOpen(true)}>
      {t(budget ? 'usage.budget_change' : 'usage.budget_set')}
    </Button>
  )
  return (
    <>
      {budget ? (
        <Group gap="md" align="center">
          <div style={{ flex: '1 1 240px' }}>
            <BudgetBar budget={budget} />
          </div>
          {edit}
        </Group>
      ) : (
        edit
      )}
      {isOpen && <BudgetSheet budget={budget} onClose={() => setOpen(false)} />}
    </>
  )
}

function BudgetSheet({ budget, onClose }: { budget: Budget; onClose(): void }) {
  const { currency } = useFacts()
  const stored = budget && { amount: budget.amount, window: budget.window }
  const { value, isDirty, change } = useDraft<{ budget: Budget }>({ budget: stored })
  const save = async () => {
    await send(client.PUT('/admin/budget', { body: value }))
    await refresh('/admin/budget')
  }
  return (
    <Sheet
      title={t('usage.server_budget')}
      isDirty={isDirty}
      canSave={isDirty}
      onSave={save}
      onClose={onClose}
    >
      <BudgetField
        value={value.budget}
        description={t('usage.server_budget_help', { currency: currency ?? '' })}
        onChange={(budget) => change({ budget })}
      />
    </Sheet>
  )
}
