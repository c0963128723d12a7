import { Link, type LinkProps } from '@tanstack/react-router'
import type { components } from '#client'
import { language } from '../i18n/language.ts'
import { findWord, joinNames, t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'

type MissingTool = components['schemas']['MissingTool']

/** The pages on which administrators set up what a tool lacks. */
const SET_UP_PAGES: Record<string, LinkProps['to']> = { web_search: '/web-search', generate_image: '/models' }

/** The tools that lack something which everybody sets up for themselves. */
const OWN_SETTINGS = new Set(['remember', 'recall', 'forget'])

const LINK = { color: 'var(--mantine-color-anchor)', marginInlineEnd: 8 }
const BETWEEN_SENTENCES = language === 'zh' ? '' : ' '

const nameOf = ({ tool, label }: MissingTool) =>
  findWord(`needs.tool_${tool}`) ?? t('needs.quoted', { label: label[language] })

/** Names the tools that something needs and does not have, in a sentence. */
export const nameMissing = (tools: readonly MissingTool[]): string =>
  t('needs.needs', { tools: joinNames([...new Set(tools.map(nameOf))]) })

interface Props {
  tools: readonly MissingTool[]
  /** The agent that lacks them, if this account may change it. */
  agent_id?: string | undefined
}

/** Says which tools are missing, why, and who can help. */
export function MissingTools({ tools, agent_id }: Props) {
  const reasons = [...new Set(tools.map(({ reason }) => reason))]
  return reasons.map((reason) => {
    const those = tools.filter((tool) => tool.reason === reason)
    return (
      <span key={reason} style={{ display: 'block', color: 'var(--waiting)' }}>
        {nameMissing(those)}
        {BETWEEN_SENTENCES}
        <Help reason={reason} tools={those} agent_id={agent_id} />
      </span>
    )
  })
}

function Help({ reason, tools, agent_id }: { reason: MissingTool['reason'] } & Props) {
  const isAdmin = useAccount().role === 'admin'
  if (reason === 'not_installed') return t('needs.not_installed')
  if (reason === 'forbidden') return t('needs.forbidden')
  if (reason === 'off')
    return agent_id ? (
      <Link to="/agents/$id/tools" params={{ id: agent_id }} style={LINK}>
        {t('needs.switch_on')}
      </Link>
    ) : (
      t('needs.off')
    )
  if (tools.every(({ tool }) => OWN_SETTINGS.has(tool)))
    return (
      <Link to="/account" style={LINK}>
        {t('needs.turn_on')}
      </Link>
    )
  if (!isAdmin) return t('needs.ask')
  const links = tools.flatMap((missing) => {
    const to = SET_UP_PAGES[missing.tool]
    return to ? [{ to, name: nameOf(missing) }] : []
  })
  if (links.length === 0) return t('needs.not_set_up')
  return links.map(({ to, name }) => (
    <Link key={name} to={to} style={LINK}>
      {t('needs.set_up', { tool: name })}
    </Link>
  ))
}
