import type { components } from '#client'
import { formatAge, formatBytes, formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Section } from '../ui/section.tsx'
import { Figures } from './figures.tsx'
import { Nodes } from './nodes.tsx'

interface Props {
  overview: components['schemas']['Overview']
  health: components['schemas']['Health'] | undefined
}

const BACKUP_DUE_SECONDS = 7 * 86_400

/** Shows if the server is well: its processes and its database, its disk, its errors, and its last backup. */
export function HealthSection({ overview, health }: Props) {
  const { process, last_backup_at, nodes, version, commit } = overview
  const disk = health?.disk
  const isBackupDue = last_backup_at === null || Date.now() / 1000 - last_backup_at > BACKUP_DUE_SECONDS
  return (
    <Section title={t('overview.health')}>
      <Figures
        label={t('overview.health')}
        figures={[
          {
            label: t('overview.disk'),
            value: disk?.free_bytes == null ? '–' : formatBytes(disk.free_bytes),
            warning: disk?.low === true && t('overview.disk_low'),
          },
          {
            label: t('overview.memory'),
            value: formatBytes(process.memory_bytes),
            note: t('overview.of_process'),
          },
          {
            label: t('overview.errors'),
            value: formatNumber(process.failed_requests),
            note: t('overview.last_day'),
          },
          {
            label: t('overview.last_backup'),
            value: last_backup_at === null ? t('overview.never') : formatAge(last_backup_at),
            warning: isBackupDue && t('overview.backup_due'),
          },
        ]}
      />
      <Nodes nodes={nodes} version={version} commit={commit} database={health?.database} />
    </Section>
  )
}
