import { Button, FileButton, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { Download, Upload } from '../ui/icons.ts'
import { Sheet } from '../ui/sheet.tsx'
import { useAction } from '../ui/use-action.ts'
import classes from './import.module.css'
import { type ImportResult, importFile } from './import-file.ts'
import { ImportReport } from './import-report.tsx'
import { saveCsv } from './save-csv.ts'

const SAMPLE = [
  ['username', 'display_name', 'email', 'groups', 'password'],
  ['ada', 'Ada Lovelace', 'ada@example.com', 'Sales;Support', ''],
  ['grace', 'Grace Hopper', 'grace@example.com', '', ''],
]

/** Creates accounts from a CSV file, and shows what became of each row. */
export function ImportPeople({ onClose }: { onClose(): void }) {
  const [results, setResults] = useState<ImportResult[]>([])
  const [name, setName] = useState<string>()
  const { isBusy, error, run } = useAction()
  const read = (file: File | null) => {
    if (!file) return
    setName(file.name)
    setResults([])
    void run(async () => {
      try {
        await importFile(file, (result) => setResults((results) => [...results, result]))
      } finally {
        await refresh('/users', '/groups', '/admin/overview')
      }
    })
  }
  return (
    <Sheet title={t('import.title')} onClose={onClose} width={560}>
      <Text size="sm">{t('import.about')}</Text>
      <dl className={classes.columns}>
        {(['username', 'display_name', 'email', 'groups', 'password'] as const).map((column) => (
          <div key={column}>
            <dt>
              <code>{column}</code>
            </dt>
            <dd>{t(`import.column_${column}`)}</dd>
          </div>
        ))}
      </dl>
      <Group gap="sm">
        <FileButton accept=".csv,text/csv" onChange={read}>
          {(props) => (
            <Button {...props} leftSection={<Upload size={16} />} loading={isBusy} data-autofocus>
              {t('import.choose')}
            </Button>
          )}
        </FileButton>
        <Button
          variant="default"
          leftSection={<Download size={16} />}
          onClick={() => void saveCsv(SAMPLE, t('import.sample_file'))}
        >
          {t('import.sample')}
        </Button>
      </Group>
      {error !== undefined && (
        <Failure error={error} {...(results.length > 0 && { about: t('import.cut') })} />
      )}
      {name !== undefined && <ImportReport file={name} results={results} isRunning={isBusy} />}
    </Sheet>
  )
}
