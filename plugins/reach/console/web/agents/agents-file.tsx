import { Anchor, ScrollArea, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { Failure } from '../ui/failure.tsx'
import { Section } from '../ui/section.tsx'
import classes from './agents-file.module.css'
import { readFile } from './files.ts'

const NAME = 'AGENTS.md'

/** The instructions that an agent has in its workspace, from its template or of its own making. */
export function AgentsFile({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['get', '/agents/{id}/files', id, NAME],
    queryFn: async () => {
      try {
        return await (await readFile(id, NAME)).blob.text()
      } catch (reason) {
        if (readFailure(reason).code === 'NOT_FOUND') return null
        throw reason
      }
    },
  })
  return (
    <Section title={NAME} about={t('agents.instructions_files')}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === null && (
        <Text size="sm" c="var(--meta)">
          {t('agents.instructions_no_file')}
        </Text>
      )}
      {typeof data === 'string' && (
        <ScrollArea.Autosize mah={360} viewportProps={{ tabIndex: 0 }} className={classes.box}>
          <pre className={classes.text}>{data}</pre>
        </ScrollArea.Autosize>
      )}
      <Anchor
        size="sm"
        w="fit-content"
        underline="always"
        renderRoot={(props) => <Link {...props} to="/agents/$id/files" params={{ id }} />}
      >
        {t('agents.instructions_open_files')}
      </Anchor>
    </Section>
  )
}
