import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { Plus } from '../ui/icons.ts'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import { EngineList } from './engine-list.tsx'
import { AddEngine } from './engine-sheets.tsx'
import { SearchLimit } from './search-limit.tsx'
import { TryWebSearch } from './try-web-search.tsx'
import { useWebSearch } from './web-search.ts'

/** The search engines that agents use, for administrators. */
export default function WebSearchPage() {
  const { data: stored, error, refetch } = useWebSearch()
  const [isAdding, setAdding] = useState(false)
  const [triedKind, setTriedKind] = useState('')
  const engines = stored?.data.engines ?? []
  const isTriedSet = engines.some(({ kind }) => kind === triedKind)
  return (
    <Page
      title={t('frame.web_search')}
      about={t('web-search.about')}
      actions={
        engines.length > 0 && (
          <Button leftSection={<Plus size={16} />} onClick={() => setAdding(true)}>
            {t('web-search.add')}
          </Button>
        )
      }
    >
      {stored ? (
        <>
          <EngineList stored={stored} onAdd={() => setAdding(true)} />
          {engines.length > 0 && (
            <>
              <TryWebSearch engines={engines} kind={isTriedSet ? triedKind : ''} onKind={setTriedKind} />
              <Section title={t('web-search.limits')}>
                <SearchLimit key={stored.data.per_day} stored={stored} />
              </Section>
            </>
          )}
        </>
      ) : (
        <Pending error={error} refetch={refetch} height={160} />
      )}
      {isAdding && stored && (
        <AddEngine stored={stored} onAdded={setTriedKind} onClose={() => setAdding(false)} />
      )}
    </Page>
  )
}
