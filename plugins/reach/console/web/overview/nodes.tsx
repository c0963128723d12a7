import type { components } from '#client'
import { formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Server } from '../ui/icons.ts'
import listClasses from '../ui/list.module.css'
import { ListRow } from '../ui/list-row.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'

interface Props {
  nodes: components['schemas']['Overview']['nodes']
  version: string
  commit: string | null
  database: components['schemas']['Health']['database'] | undefined
}

/** The processes that use the database, and the database itself. */
export function Nodes({ nodes, version, commit, database }: Props) {
  return (
    <ul className={listClasses.rows} aria-label={t('overview.processes')}>
      {nodes.map((node) => (
        <ListRow
          key={node.id}
          icon={<Server size={16} aria-hidden />}
          title={node.host}
          meta={
            <>
              {t('overview.version', { version: node.version })} {node.commit && `(${node.commit})`} ·{' '}
              {t('overview.started')} <Time at={node.started_at} />
            </>
          }
        >
          {node.version === version && node.commit === commit ? (
            <State tone="on">{t('overview.runs')}</State>
          ) : (
            <State tone="waiting">{t('overview.other_version')}</State>
          )}
        </ListRow>
      ))}
      {database && (
        <ListRow
          icon={<Server size={16} aria-hidden />}
          title={t('overview.database')}
          meta={
            database.latency_ms === null
              ? undefined
              : t('overview.answers', { ms: formatNumber(Math.round(database.latency_ms)) })
          }
        >
          <State tone={database.ok ? 'on' : 'failed'}>
            {t(database.ok ? 'overview.runs' : 'overview.does_not_answer')}
          </State>
        </ListRow>
      )}
    </ul>
  )
}
