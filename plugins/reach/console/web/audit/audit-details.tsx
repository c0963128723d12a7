import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatExactDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Section } from '../ui/section.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Values } from '../ui/values.tsx'
import { type AuditRow, describeAction, describeActor, linkOf } from './row-words.ts'

interface Props {
  row: AuditRow
  onClose(): void
}

/** An entry of the log with all its details. */
export function AuditDetails({ row, onClose }: Props) {
  const { payload } = row
  const link = linkOf(row)
  const facts = {
    [t('audit.time')]: formatExactDate(row.ts),
    [t('audit.actor')]: describeActor(row.actor),
    [t('audit.target')]: row.object,
    [t('audit.id')]: row.target === row.object ? null : row.target,
    [t('audit.result')]: t(row.status < 400 ? 'audit.done' : 'audit.refused'),
    [t('audit.address')]: row.ip,
    [t('audit.credential')]: row.credential,
    [t('audit.request')]: row.request_id,
    [t('audit.fingerprint')]: row.hash,
  }
  return (
    <Sheet title={describeAction(row.action)} onClose={onClose}>
      <Values of={Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null))} />
      {link && row.object && (
        <Anchor size="sm" renderRoot={(props) => <Link {...props} {...link} />}>
          {t('audit.open', { name: row.object })}
        </Anchor>
      )}
      {typeof payload === 'object' && payload !== null && Object.keys(payload).length > 0 && (
        <Section title={t('audit.contents')}>
          <Values of={payload} />
        </Section>
      )}
    </Sheet>
  )
}
