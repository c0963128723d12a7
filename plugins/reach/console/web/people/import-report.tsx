import { Button, Group, Stack, Text } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Download } from '../ui/icons.ts'
import { PublicAddress } from '../ui/public-address.tsx'
import { Section } from '../ui/section.tsx'
import classes from './import.module.css'
import { type ImportResult, linkOf } from './import-file.ts'
import { saveCsv } from './save-csv.ts'

interface Props {
  /** The name of the file. */
  file: string
  results: ImportResult[]
  isRunning: boolean
}

/** Says why a row has failed; wrong cells are named by their columns. */
function describeFailure(error: unknown): string {
  const { message, issues } = readFailure(error)
  const cells = issues.map((issue) => `${issue.path.split('/')[1] ?? ''}: ${issue.message}`)
  return [message, ...cells].join(' ')
}

/** The result of each row of a file: first the rows that failed, then the new accounts with their links. */
export function ImportReport({ file, results, isRunning }: Props) {
  const failed = results.filter(({ error }) => error)
  const created = results.filter(({ error }) => !error)
  const links = created.flatMap((result) => {
    const link = linkOf(result)
    return link === undefined ? [] : [[result.username ?? '', link]]
  })
  const download = () => void saveCsv([['username', 'link'], ...links], t('import.links_file'))
  return (
    <Section title={file}>
      <Text size="sm" role="status">
        {t('import.created', { count: created.length })} · {t('import.failed', { count: failed.length })}
        {isRunning && ` · ${t('import.running')}`}
      </Text>
      {failed.length > 0 && (
        <ul className={classes.rows} aria-label={t('import.failures')}>
          {failed.map(({ row, username, error }) => (
            <li key={row}>
              <b>{t('import.row', { number: row })}</b> {username}
              <div className={classes.reason}>{describeFailure(error)}</div>
            </li>
          ))}
        </ul>
      )}
      {links.length > 0 && (
        <Stack gap="sm">
          <Text size="sm">{t('import.links_about')}</Text>
          <PublicAddress />
          <Group gap="sm">
            <Button variant="default" size="xs" leftSection={<Download size={14} />} onClick={download}>
              {t('import.download_links')}
            </Button>
          </Group>
        </Stack>
      )}
      {created.length > 0 && (
        <ul className={classes.rows} aria-label={t('import.accounts')}>
          {created.map((result) => {
            const link = linkOf(result)
            return (
              <li key={result.row} className={classes.created}>
                <span>{result.username}</span>
                {link !== undefined && (
                  <CopyButton text={link} label={t('import.copy_link', { name: result.username ?? '' })} />
                )}
              </li>
            )
          })}
        </ul>
      )}
    </Section>
  )
}
