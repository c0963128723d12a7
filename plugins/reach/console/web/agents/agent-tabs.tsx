import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { iconOf, labelOf } from '../frame/slots.ts'
import { t } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { may, useAccount } from '../session/account.ts'
import classes from '../ui/page-tabs.module.css'
import { partsOf, useSlotTabs } from './slot-tabs.ts'

/** The pages of an agent that the account can use. */
export function useTabs(canEdit: boolean) {
  const account = useAccount()
  const { features } = useFacts()
  return [
    { to: '/agents/$id', label: t('agents.general') },
    ...(canEdit
      ? ([
          { to: '/agents/$id/instructions', label: t('agents.instructions') },
          { to: '/agents/$id/persona', label: t('agents.persona') },
          { to: '/agents/$id/tools', label: t('agents.tools') },
          { to: '/agents/$id/skills', label: t('agents.skills') },
        ] as const)
      : []),
    { to: '/agents/$id/files', label: t('agents.files') },
    ...(canEdit && may(account, 'channels')
      ? [{ to: '/agents/$id/channels', label: t('frame.channels') } as const]
      : []),
    ...(canEdit && features.connectors
      ? [{ to: '/agents/$id/connectors', label: t('frame.connectors') } as const]
      : []),
    ...(features.schedules ? [{ to: '/agents/$id/schedules', label: t('frame.schedules') } as const] : []),
    ...(features.triggers ? [{ to: '/agents/$id/triggers', label: t('triggers.title') } as const] : []),
    ...(canEdit ? [{ to: '/agents/$id/sharing', label: t('agents.sharing') } as const] : []),
    ...(canEdit && may(account, 'acp_runners')
      ? [{ to: '/agents/$id/external', label: t('agents.external') } as const]
      : []),
  ] as const
}

interface Props {
  id: string
  tabs: ReturnType<typeof useTabs>
}

/** The links to the pages of an agent. */
export function AgentTabs({ id, tabs }: Props) {
  const nav = useRef<HTMLElement>(null)
  const plugins = useSlotTabs()
  const path = useLocation({ select: ({ pathname }) => pathname })
  // Not all tabs fit a phone.
  useEffect(() => {
    nav.current?.querySelector(`[href="${path}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  return (
    <nav ref={nav} className={classes.tabs} aria-label={t('agents.settings')}>
      {tabs.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ id }}
          activeOptions={{ exact: true }}
          className={classes.tab}
          activeProps={{ 'aria-current': 'page' }}
        >
          {label}
        </Link>
      ))}
      {plugins.map((slot) => {
        const Icon = iconOf(slot)
        return (
          <Link
            key={slot.module}
            to="/agents/$id/plugin/$plugin/$module"
            params={{ id, ...partsOf(slot) }}
            className={classes.tab}
            activeProps={{ 'aria-current': 'page' }}
          >
            {slot.icon !== null && <Icon size={14} aria-hidden className={classes.icon} />}
            {labelOf(slot)}
          </Link>
        )
      })}
    </nav>
  )
}
