import type { LinkProps } from '@tanstack/react-router'
import type { components } from '#client'
import { findWord, namesIn, t } from '../i18n/words.ts'

export type AuditRow = components['schemas']['AuditRow']

const SYSTEM_USER = 'os:'
/** The user id of the administrator of a system, which rows of older versions have instead of the name. */
const ROOT_ID = '0'

/** Lists the actions to choose from. */
export const listActions = (): string[] => namesIn('did')

/** Describes an action in words; actions of plugins from outside keep their names. */
export const describeAction = (action: string): string =>
  findWord(`did.${action}`) ?? action.replaceAll(/[._]/g, ' ')

/** Names who acted: an account, or the user of the terminal in which a command ran. */
export function describeActor(actor: string | null): string {
  if (actor === null) return t('audit.nobody')
  if (!actor.startsWith(SYSTEM_USER)) return actor
  const name = actor.slice(SYSTEM_USER.length)
  return t('audit.terminal', { name: name === ROOT_ID ? 'root' : name })
}

/** Pages of objects that belong to an agent, by the first word of the action. */
const AGENT_TABS = { schedule: '/agents/$id/schedules', channel: '/agents/$id/channels' } as const
/** Pages that list all objects of a kind. */
const LISTS = {
  user: '/people',
  provider: '/models',
  connector: '/connectors',
  skill_package: '/skills',
} as const

/** Returns the page that shows the object of a row; undefined if it was deleted or has none. */
export function linkOf({ action, target, object_exists }: AuditRow): LinkProps | undefined {
  if (!object_exists || target === null) return undefined
  const kind = action.split('.')[0]!
  const id = target.split('/')[0]!
  if (kind === 'agent') return { to: '/agents/$id', params: { id } }
  if (kind in AGENT_TABS) return { to: AGENT_TABS[kind as keyof typeof AGENT_TABS], params: { id } }
  if (kind === 'knowledge_base' || kind === 'knowledge_document')
    return { to: '/knowledge/$base', params: { base: id } }
  return kind in LISTS ? { to: LISTS[kind as keyof typeof LISTS] } : undefined
}
