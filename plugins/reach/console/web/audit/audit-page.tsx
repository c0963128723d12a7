import { Code, Group, NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { components } from '#client'
import { formatDate } from '../i18n/format.ts'
import { findWord, namesIn, t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Empty } from '../ui/empty.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { Values } from '../ui/values.tsx'

type Row = components['schemas']['AuditRow']

const DAY = 86_400
const PERIODS = { all: undefined, day: DAY, week: 7 * DAY, month: 30 * DAY }
const VERIFY = 'svc admin audit --verify'

/** The name of what was changed; ids say nothing to a reader, so only the details have them. */
const nameTarget = ({ target }: Row) => (target && /[0-9A-HJKMNP-TV-Z]{26}/.test(target) ? null : target)

/** The log of all changes and sign-ins, for administrators. */
export default function AuditPage() {
  const [filter, setFilter] = useState({ actor: '', target: '', action: '' })
  const [since, setSince] = useState<number>()
  const [applied] = useDebouncedValue(filter, 250)
  const [open, setOpen] = useState<Row>()
  const query = Object.fromEntries(Object.entries({ ...applied, since }).filter(([, value]) => value))
  const rows = useRows('/admin/audit-log', { query })
  const change = (name: keyof typeof filter) => (event: { currentTarget: { value: string } }) =>
    setFilter({ ...filter, [name]: event.currentTarget.value })
  const choosePeriod = (name: string) => {
    const seconds = PERIODS[name as keyof typeof PERIODS]
    setSince(seconds && Math.floor(Date.now() / 1000) - seconds)
  }
  return (
    <Page title={t('frame.audit')} about={t('audit.about')}>
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
                {[row.actor ?? t('audit.nobody'), nameTarget(row), row.ip].filter(Boolean).join(' · ')} ·{' '}
                <Time at={row.ts} />
              </>
            }
            onOpen={() => setOpen(row)}
          >
            {row.status >= 400 && <State tone="failed">{t('audit.refused')}</State>}
          </ListRow>
        )}
      </List>
      <Section title={t('audit.verify')}>
        <Text size="sm" c="var(--meta)">
          {t('audit.verify_about')}
        </Text>
        <Group gap="xs">
          <Code>{VERIFY}</Code>
          <CopyButton text={VERIFY} />
        </Group>
      </Section>
      {open && <AuditDetails row={open} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

interface Props {
  row: components['schemas']['AuditRow']
  onClose(): void
}

/** An entry of the log with all its details. */
function AuditDetails({ row, onClose }: Props) {
  const { payload } = row
  const facts = {
    [t('audit.time')]: formatDate(row.ts),
    [t('audit.actor')]: row.actor ?? t('audit.nobody'),
    [t('audit.target')]: row.target,
    [t('audit.result')]: t(row.status < 400 ? 'audit.done' : 'audit.refused'),
    [t('audit.address')]: row.ip,
    [t('audit.credential')]: row.credential,
    [t('audit.request')]: row.request_id,
    [t('audit.fingerprint')]: row.hash,
  }
  return (
    <Sheet title={describeAction(row.action)} onClose={onClose}>
      <Values of={Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null))} />
      {typeof payload === 'object' && payload !== null && Object.keys(payload).length > 0 && (
        <Section title={t('audit.contents')}>
          <Values of={payload} />
        </Section>
      )}
    </Sheet>
  )
}

/** Lists the actions to choose from. */
const listActions = (): string[] => namesIn('did')

/** An action in words; actions of plugins from outside keep their names. */
const describeAction = (action: string): string =>
  findWord(`did.${action}`) ?? action.replaceAll(/[._]/g, ' ')
