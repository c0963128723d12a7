import { Group, Select, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '#client'
import { language } from '../i18n/language.ts'
import { findWord, t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { useAccount } from '../session/account.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { State } from '../ui/state.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import type { Config } from './general-fields.tsx'
import { updateAgent, useLoadedAgent } from './use-agent.ts'

type Settings = components['schemas']['ToolSettings']
type Tool = Settings['builtin'][number] | Settings['plugins'][number]
type Policy = '' | 'ask' | 'never'

/** The tools of an agent: which it has, and which need a person's approval. */
export default function ToolsTab() {
  const { agent } = useLoadedAgent()
  const { error, run } = useAction()
  const path = { id: agent.id }
  const { data, ...query } = api.useQuery('get', '/agents/{id}/tool-settings', { params: { path } })
  const config: Config = agent.config ?? {}
  const tools: Tool[] | undefined = data && [...data.builtin, ...data.plugins]

  const attempt = (change: Promise<unknown>) =>
    run(() => change.finally(() => refresh('/agents/{id}/tool-settings')))
  const toggle = ({ name: tool_name, ...tool }: Tool, enabled: boolean) => {
    const params = { path: { ...path, tool_name } }
    const source = 'plugin_id' in tool ? ({ source: 'plugin', plugin_id: tool.plugin_id } as const) : {}
    return attempt(
      send(client.PATCH('/agents/{id}/tool-settings/{tool_name}', { params, body: { enabled, ...source } })),
    )
  }
  const setPolicy = ({ name }: Tool, policy: Policy) => {
    const without = (names: string[] = []) => names.filter((other) => other !== name)
    const ask = without(config.tools_with_approval)
    const never = without(config.tools_without_approval)
    const next: Config = {
      ...config,
      tools_with_approval: policy === 'ask' ? [...ask, name] : ask,
      tools_without_approval: policy === 'never' ? [...never, name] : never,
    }
    return attempt(updateAgent(agent.id, { config: next }))
  }
  const policyOf = ({ name }: Tool): Policy => {
    if (config.tools_with_approval?.includes(name)) return 'ask'
    return config.tools_without_approval?.includes(name) ? 'never' : ''
  }

  return (
    <Stack gap="md">
      <Text size="sm" c="var(--meta)">
        {t('agents.tools_about')}
      </Text>
      {error !== undefined && <Failure error={error} />}
      <List
        {...query}
        rows={tools}
        label={t('agents.tools')}
        keyOf={(tool) => `${'plugin_id' in tool ? tool.plugin_id : ''}:${tool.name}`}
        textOf={({ name, label }) => `${name} ${label}`}
        empty={<Empty title={t('agents.no_tools')}>{t('agents.tools_about')}</Empty>}
      >
        {(tool) => (
          <ListRow title={tool.label} meta={<About tool={tool} />}>
            <Select
              size="xs"
              w={150}
              aria-label={t('agents.approval_of', { tool: tool.label })}
              data={[
                { value: '', label: t('agents.approval_default') },
                { value: 'ask', label: t('agents.approval_ask') },
                { value: 'never', label: t('agents.approval_never') },
              ]}
              allowDeselect={false}
              disabled={!tool.enabled}
              value={policyOf(tool)}
              onChange={(policy) => setPolicy(tool, (policy ?? '') as Policy)}
            />
            <Group w={80} justify="flex-end">
              {'disableable' in tool && !tool.disableable ? (
                <State tone="on">{t('agents.tool_always')}</State>
              ) : (
                <Toggle
                  aria-label={tool.label}
                  checked={tool.enabled}
                  disabled={!tool.available}
                  onToggle={(checked) => toggle(tool, checked)}
                />
              )}
            </Group>
          </ListRow>
        )}
      </List>
    </Stack>
  )
}

/** A sentence about a tool: its purpose, or the reason why conversations do not have it. */
function About({ tool }: { tool: Tool }) {
  const isAdmin = useAccount().role === 'admin'
  if (!tool.available) return t('agents.tool_unavailable')
  if (tool.set_up) return aboutTool(tool)
  if (tool.name !== 'web_search') return findWord(`agents.tool_unset_${tool.name}`) ?? t('agents.tool_unset')
  return isAdmin ? (
    <>
      {t('agents.tool_no_engine')} <Link to="/web-search">{t('agents.tool_set_up')}</Link>
    </>
  ) : (
    t('agents.tool_ask_engine')
  )
}

/** A tool in a sentence: of the console for built-in tools, otherwise the first one that the model reads. */
const aboutTool = ({ name, description }: { name: string; description: string }) =>
  findWord(`agents.tool_${name}`) ??
  (language === 'en' ? /^.*?[.:](?=\s|$)/s.exec(description)?.[0] : undefined)
