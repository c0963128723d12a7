import { Text } from '@mantine/core'
import { CodeBlock } from '../chat/markdown/code-block.tsx'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Pending } from '../ui/pending.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { Connector } from './connector-form.ts'

/** The end of what the program of a connector has written to its standard error. */
export function LogSheet({ connector: { id, name }, onClose }: { connector: Connector; onClose(): void }) {
  const { data, error, refetch } = api.useQuery(
    'get',
    '/connectors/{id}/log',
    { params: { path: { id } } },
    { staleTime: 0 },
  )
  return (
    <Sheet title={t('connectors.log_title', { name })} onClose={onClose} width={760}>
      {error || !data ? (
        <Pending error={error} refetch={refetch} height={160} />
      ) : data.log ? (
        <CodeBlock code={data.log} language="" />
      ) : (
        <Text size="sm" c="var(--meta)">
          {t('connectors.log_empty')}
        </Text>
      )}
    </Sheet>
  )
}
