import { Anchor, Button, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { saveBlob } from '../agents/files.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { useAction } from '../ui/use-action.ts'
import { AuditDetails } from './audit-details.tsx'
import { type AuditRow, describeAction, describeActor, linkOf, listActions } from './row-words.ts'
import { Verification } from './verification.tsx'

const DAY = 86_400
const PERIODS = { all: undefined, day: DAY, week: 7 * DAY, month: 30 * DAY }

/** The log of all changes and sign-ins, for administrators. */
export default function AuditPage() {
  const [filter, setFilter] = useState({ actor: '', target: '', action: '' })
  const [since, setSince] = useState<number>()
  const [applied] = useDebouncedValue(filter, 250)
  const [open, setOpen] = useState<AuditRow>()
  const query = Object.fromEntries(Object.entries({ ...applied, since }).filter(([, value]) => value))
  const rows = useRows('/admin/audit-log', { query })
  const { isBusy, error, run } = useAction()
  const exportRows = () =>
    run(async () => {
      const reply = await client.GET('/admin/audit-log/export', { params: { query }, parseAs: 'blob' })
      if (reply.error !== undefined) throw reply.error
      saveBlob(reply.data as unknown as Blob, 'audit-log.csv')
    })
  const change = (name: keyof typeof filter) => (event: { currentTarget: { value: string } }) =>
    setFilter({ ...filter, [name]: event.currentTarget.value })
  const choosePeriod = (name: string) => {
    const seconds = PERIODS[name as keyof typeof PERIODS]
    setSince(seconds && Math.floor(Date.now() / 1000) - seconds)
  }
  return (
    <Page
      title={t('frame.audit')}
      about={t('audit.about')}
      actions={
        <Button variant="default" loading={isBusy} onClick={() => void exportRows()}>
          {t('audit.export')}
        </Button>
      }
    >
      {Boolean(error) && <Failure error={error} onRetry={() => void exportRows()} />}
      <Verification />
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm" role="search">
        <TextInput
          aria-label={t('audit.actor')}
          placeholder={t('audit.actor')}
          maxLength={64}
          value={filter.actor}
          onChange={change('actor')}
        />
        <NativeSelect
          aria-label={t('audit.action')}
          value={filter.action}
          onChange={change('action')}
          data={[
            { value: '', label: t('audit.all_actions') },
            ...listActions().map((action) => ({ value: action, label: describeAction(action) })),
          ]}
        />
        <TextInput
          aria-label={t('audit.target')}
          placeholder={t('audit.target')}
          maxLength={256}
          value={filter.target}
          onChange={change('target')}
        />
        <NativeSelect
          aria-label={t('audit.period')}
          onChange={(event) => choosePeriod(event.currentTarget.value)}
          data={[
            { value: 'all', label: t('audit.any_time') },
            { value: 'day', label: t('audit.last_day') },
            { value: 'week', label: t('audit.last_week') },
            { value: 'month', label: t('audit.last_month') },
          ]}
        />
      </SimpleGrid>
      <List
        {...rows}
        label={t('frame.audit')}
        keyOf={({ id }) => id}
        empty={<Empty title={t('audit.none')}>{t('audit.none_about')}</Empty>}
      >
        {(row) => (
          <ListRow
            title={describeAction(row.action)}
            meta={
              <>
                <ObjectName row={row} />
                {[describeActor(row.actor), row.ip].filter(Boolean).join(' · ')} · <Time at={row.ts} />
              </>
            }
            onOpen={() => setOpen(row)}
          >
            {row.status >= 400 && <State tone="failed">{t('audit.refused')}</State>}
          </ListRow>
        )}
      </List>
      {open && <AuditDetails row={open} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

/** The name of what was changed, with a link to it while it exists. */
function ObjectName({ row }: { row: AuditRow }) {
  // At a sign-in both are the same account.
  if (!row.object || row.object === row.actor) return null
  const link = linkOf(row)
  return (
    <>
      {link ? (
        <Anchor underline="always" inherit renderRoot={(props) => <Link {...props} {...link} />}>
          {row.object}
        </Anchor>
      ) : (
        row.object
      )}
      {' · '}
    </>
  )
}
