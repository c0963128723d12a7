import type { components } from '#client'
import { formatDate } from '../i18n/format.ts'
import { findWord, namesIn, t } from '../i18n/words.ts'
import { Section } from '../ui/section.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Values } from '../ui/values.tsx'

interface Props {
  row: components['schemas']['AuditRow']
  onClose(): void
}

/** An entry of the log with all its details. */
export function AuditDetails({ row, onClose }: Props) {
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
export const listActions = (): string[] => namesIn('did')

/** An action in words; actions of plugins from outside keep their names. */
export const describeAction = (action: string): string =>
  findWord(`did.${action}`) ?? action.replaceAll(/[._]/g, ' ')
