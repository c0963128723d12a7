import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'
import { Empty } from '../ui/empty.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { State } from '../ui/state.tsx'
import type { ConnectorTool } from './connector-form.ts'

interface Props {
  tools: ConnectorTool[]
  /** True for tools that wait until somebody has looked at them. */
  isNew(tool: ConnectorTool): boolean
  /** The controls of a tool. */
  children(tool: ConnectorTool): ReactNode
}

/** The tools of a connector with what their server says about them; those to look at come first. */
export function ToolList({ tools, isNew, children }: Props) {
  return (
    <List
      rows={tools.toSorted((left, right) => Number(isNew(right)) - Number(isNew(left)))}
      error={undefined}
      refetch={() => {}}
      label={t('connectors.tools')}
      keyOf={({ name }) => name}
      textOf={({ name, title, description }) => `${name} ${title ?? ''} ${description}`}
      empty={<Empty title={t('connectors.no_tools')}>{t('connectors.no_tools_about')}</Empty>}
    >
      {(tool) => (
        <ListRow
          title={tool.title ?? tool.name}
          meta={
            <>
              {isNew(tool) && <State tone="waiting">{t('connectors.new_tool')}</State>}
              <div>{tool.description}</div>
              <Text size="xs" component="div">
                {[tool.title && tool.name, t(`connectors.${effectOf(tool)}`)].filter(Boolean).join(' · ')}
              </Text>
            </>
          }
        >
          {children(tool)}
        </ListRow>
      )}
    </List>
  )
}

/** The effect of calls of a tool, as its server says. */
const effectOf = ({ read_only, destructive }: ConnectorTool) =>
  read_only ? 'only_reads' : destructive ? 'changes' : 'only_adds'
