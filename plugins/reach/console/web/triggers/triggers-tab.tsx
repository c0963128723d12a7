import { Button, Menu, Stack } from '@mantine/core'
import { useState } from 'react'
import { useLoadedAgent } from '../agents/use-agent.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Time } from '../ui/time.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import { RequestsSheet } from './requests-sheet.tsx'
import { deleteTrigger, enableTrigger, type Trigger } from './trigger-form.ts'
import { EditTrigger, NewTrigger, ReplaceSecret } from './trigger-sheets.tsx'

const SHEETS = { edit: EditTrigger, requests: RequestsSheet, secret: ReplaceSecret }

/** The own triggers with an agent: addresses whose requests start conversations. */
export default function TriggersTab() {
  const { agent } = useLoadedAgent()
  const triggers = useRows('/agents/{id}/triggers', { path: { id: agent.id } })
  const [isAdding, setAdding] = useState(false)
  const [open, setOpen] = useState<{ sheet: keyof typeof SHEETS; trigger: Trigger }>()
  const { error, run } = useAction()
  const show = (sheet: keyof typeof SHEETS, trigger: Trigger) => setOpen({ sheet, trigger })
  const OpenSheet = open && SHEETS[open.sheet]
  const add = (
    <Button variant="default" leftSection={<Plus size={16} />} onClick={() => setAdding(true)}>
      {t('triggers.add')}
    </Button>
  )
  return (
    <Stack gap="lg">
      {error !== undefined && <Failure error={error} />}
      <List
        {...triggers}
        label={t('triggers.title')}
        keyOf={({ id }) => id}
        textOf={({ name }) => name}
        controls={add}
        empty={
          <Empty title={t('triggers.empty')} action={add}>
            {t('triggers.about')}
          </Empty>
        }
      >
        {(trigger) => (
          <ListRow
            title={trigger.name}
            meta={
              <>
                {t(`triggers.scheme_${trigger.verify.scheme}`)}
                {' · '}
                {trigger.last_request_at === null ? t('triggers.never_called') : t('triggers.last_request')}{' '}
                {trigger.last_request_at !== null && <Time at={trigger.last_request_at} />}
              </>
            }
            onOpen={() => show('edit', trigger)}
          >
            <Toggle
              aria-label={t('triggers.enable', { name: trigger.name })}
              checked={trigger.enabled}
              onToggle={(enabled) => run(() => enableTrigger(agent.id, trigger, enabled))}
            />
            <RowMenu
              name={trigger.name}
              onEdit={() => show('edit', trigger)}
              deletion={{ about: t('triggers.delete_about'), run: () => deleteTrigger(agent.id, trigger) }}
            >
              <Menu.Item onClick={() => show('requests', trigger)}>{t('triggers.requests')}</Menu.Item>
              <Menu.Item onClick={() => show('secret', trigger)}>{t('triggers.new_secret')}</Menu.Item>
            </RowMenu>
          </ListRow>
        )}
      </List>
      {isAdding && <NewTrigger agentId={agent.id} onClose={() => setAdding(false)} />}
      {OpenSheet && (
        <OpenSheet agentId={agent.id} trigger={open.trigger} onClose={() => setOpen(undefined)} />
      )}
    </Stack>
  )
}
