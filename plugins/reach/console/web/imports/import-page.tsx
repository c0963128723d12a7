import { Stack } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { ArchiveDrop } from './archive-drop.tsx'
import { ArchiveHelp } from './archive-help.tsx'
import { ImportReport } from './import-report.tsx'
import { describeImport } from './import-words.ts'
import { isRunning, useImports } from './imports.ts'

/** Imports conversations of other products, and shows the result of each. */
export default function ImportPage() {
  const { data: imports, error, refetch } = useImports()
  const [chosenId, setChosenId] = useState<string>()
  const current = imports?.find(({ id }) => id === chosenId) ?? imports?.[0]
  const others = imports?.filter(({ id }) => id !== current?.id) ?? []
  return (
    <Page title={t('imports.title')} about={t('imports.about')}>
      <Stack gap={40}>
        <Section title={t('imports.get')}>
          <ArchiveHelp />
        </Section>
        <Section title={t('imports.upload')}>
          <ArchiveDrop
            isDisabled={imports?.some(isRunning) ?? false}
            onUploaded={() => setChosenId(undefined)}
          />
        </Section>
        {error ? <Failure error={error} onRetry={() => void refetch()} /> : null}
        {current && <ImportReport key={current.id} current={current} />}
        {others.length > 0 && (
          <Section title={t('imports.earlier')}>
            <List
              rows={others}
              error={undefined}
              refetch={refetch}
              label={t('imports.earlier')}
              keyOf={({ id }) => id}
              empty={null}
            >
              {(one) => (
                <ListRow title={one.filename} meta={describeImport(one)} onOpen={() => setChosenId(one.id)} />
              )}
            </List>
          </Section>
        )}
      </Stack>
    </Page>
  )
}
