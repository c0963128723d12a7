import { baseName } from '../../agents/files.ts'
import { api } from '../../server/client.ts'
import { useAllRows } from '../../server/pages.ts'
import { Bot, File } from '../../ui/icons.ts'
import type { ListedAgent } from '../use-agent.ts'
import type { Suggestion } from './suggestion.ts'

/** The name of the tool that asks another agent. */
const ASK_AGENT = 'ask_agent'

interface Options {
  agent: ListedAgent
  /** The words after `@`; undefined without one. */
  search: string | undefined
  /** Puts a text in place of what was typed. */
  onReplace(text: string): void
  onAttach(file: { path: string; filename: string; media_type: string }): void
}

/** The agents that the agent of the conversation can ask, and the files of its workspace, whose names contain a text. */
export function useMentions({ agent, search, onReplace, onAttach }: Options): Suggestion[] {
  const agents = useOtherAgents(agent, search)
  const files = useFiles(agent.id, search !== undefined && /\s/.test(search) ? undefined : search)
  return [
    ...agents.map(
      (other): Suggestion => ({
        key: `@${other.name}`,
        id: other.id,
        label: other.name,
        icon: Bot,
        agent: other,
        run: () => onReplace(`@${other.name} `),
      }),
    ),
    ...files.map(
      ({ path, media_type }): Suggestion => ({
        key: path,
        label: path,
        icon: File,
        run() {
          onReplace('')
          onAttach({
            path,
            filename: baseName(path),
            media_type: media_type ?? 'application/octet-stream',
          })
        },
      }),
    ),
  ]
}

/** The other agents whose name contains a text, those that begin with it first. */
function useOtherAgents(agent: ListedAgent, search: string | undefined): ListedAgent[] {
  const isWanted = search !== undefined
  const { rows = [] } = useAllRows('/agents', { query: { limit: 200 } }, { enabled: isWanted })
  const settings = api.useQuery(
    'get',
    '/agents/{id}/tool-settings',
    { params: { path: { id: agent.id } } },
    { enabled: isWanted, retry: false },
  )
  const tool = settings.data?.builtin.find(({ name }) => name === ASK_AGENT)
  // Only people who can edit an agent can read its settings; for others it is assumed to have its usual tools.
  const canAsk = settings.isError || (tool?.enabled && tool.available)
  if (search === undefined || !canAsk) return []
  const lowerCased = search.toLowerCase()
  const rank = ({ name }: ListedAgent) => Number(name.toLowerCase().startsWith(lowerCased))
  return rows
    .filter(
      ({ id, name, state }) =>
        id !== agent.id && state === 'running' && name.toLowerCase().includes(lowerCased),
    )
    .toSorted((left, right) => rank(right) - rank(left))
}

/** The files of the workspace whose path contains a text; a folder in it is looked through alone. */
function useFiles(agent_id: string, search: string | undefined) {
  const path = search?.includes('/') ? search.slice(0, search.lastIndexOf('/')) : undefined
  const query = { recursive: true, limit: 200, ...(path ? { path } : {}) }
  const { data = [] } = api.useQuery(
    'get',
    '/agents/{id}/files',
    { params: { path: { id: agent_id }, query } },
    { enabled: search !== undefined, retry: false },
  )
  const lowerCased = search?.toLowerCase()
  return lowerCased === undefined
    ? []
    : data.filter(({ kind, path }) => kind === 'file' && path.toLowerCase().includes(lowerCased))
}
