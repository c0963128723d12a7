import { Select, Text } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { Sheet } from '../ui/sheet.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { isOn, type ToolState } from './agent-connectors.ts'
import type { ConnectorTool } from './connector-form.ts'
import { ToolList } from './tool-list.tsx'

interface Props {
  /** The name of the connector. */
  name: string
  /** The states of its tools for the agent, by their names. */
  states: Record<string, ToolState>
  /** The tools; undefined if the connector is somebody else's, which shows only their names. */
  tools: ConnectorTool[] | undefined
  onDecide(tool: string, state: ToolState): Promise<unknown>
  onClose(): void
}

/** The tools of a connector of an agent: which it may call, and which need a person's approval. */
export function AgentToolsSheet({ name, states, tools, onDecide, onClose }: Props) {
  const listed = Object.keys(states).map(
    (name): ConnectorTool =>
      tools?.find((tool) => tool.name === name) ?? {
        name,
        title: null,
        description: '',
        read_only: false,
        destructive: true,
        seen: true,
      },
  )
  return (
    <Sheet title={t('connectors.tools_of', { name })} onClose={onClose} width={640}>
      <Text size="sm" c="var(--meta)">
        {t('connectors.agent_tools_about')}
      </Text>
      <ToolList tools={listed} isNew={(tool) => states[tool.name]?.seen === false}>
        {(tool) => {
          const state = states[tool.name] ?? {}
          const label = tool.title ?? tool.name
          const approval = state.approval === 'allow' ? ('allow' as const) : ('ask' as const)
          return (
            <>
              <Select
                size="xs"
                w={140}
                aria-label={t('agents.approval_of', { tool: label })}
                data={[
                  { value: 'ask', label: t('agents.approval_ask') },
                  { value: 'allow', label: t('agents.approval_never') },
                ]}
                allowDeselect={false}
                disabled={!isOn(state)}
                value={approval}
                onChange={(value) =>
                  onDecide(tool.name, { enabled: true, approval: value as 'ask' | 'allow' })
                }
              />
              <Toggle
                aria-label={label}
                checked={isOn(state)}
                onToggle={(enabled) =>
                  onDecide(tool.name, { enabled, approval, ...(enabled && { seen: true }) })
                }
              />
            </>
          )
        }}
      </ToolList>
    </Sheet>
  )
}
