import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { Pending } from '../ui/pending.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useAction } from '../ui/use-action.ts'
import { allowTools, type Connector, readConnector } from './connector-form.ts'
import { ToolList } from './tool-list.tsx'

/** The tools of a connector; its managers allow new and changed tools. */
export function ToolsSheet({ connector, onClose }: { connector: Connector; onClose(): void }) {
  const { id, name } = connector
  const stored = useQuery({
    queryKey: ['get', '/connectors/{id}', id, 'tagged'],
    queryFn: () => readConnector(id),
    staleTime: 0,
  })
  const { isBusy, error, run } = useAction()
  const loaded = stored.data
  const unseen = loaded?.data.can_edit ? loaded.data.tools.filter((tool) => !tool.seen) : []
  const allow = (names: string[]) =>
    run(() => allowTools(connector, names, loaded?.tag ?? null).finally(() => refresh('/connectors')))
  return (
    <Sheet
      title={t('connectors.tools_of', { name })}
      onClose={onClose}
      width={640}
      aside={
        unseen.length > 1 && (
          <Button variant="default" loading={isBusy} onClick={() => allow(unseen.map((tool) => tool.name))}>
            {t('connectors.allow_all')}
          </Button>
        )
      }
    >
      <Text size="sm" c="var(--meta)">
        {t('connectors.tools_about')}
      </Text>
      {error !== undefined && <Failure error={error} />}
      {loaded ? (
        <ToolList tools={loaded.data.tools} isNew={(tool) => !tool.seen}>
          {(tool) =>
            loaded.data.can_edit &&
            !tool.seen && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('connectors.allow_tool', { tool: tool.title ?? tool.name })}
                onClick={() => allow([tool.name])}
              >
                {t('connectors.allow')}
              </Button>
            )
          }
        </ToolList>
      ) : (
        <Pending {...stored} height={240} />
      )}
    </Sheet>
  )
}
