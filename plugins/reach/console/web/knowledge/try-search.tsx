import { Button, Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { Empty } from '../ui/empty.tsx'
import { asRows, List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Section } from '../ui/section.tsx'
import classes from './documents.module.css'
import { type DocumentPlace, nameOfPlace } from './knowledge.ts'

/** The passages that are asked for. */
const LIMIT = 8

interface Props {
  base_id: string
  onOpen(documentPlace: DocumentPlace): void
}

/** Searches a knowledge base as agents do, and shows the passages that they would read. */
export function TrySearch({ base_id, onOpen }: Props) {
  const [text, setText] = useState('')
  const [query, setQuery] = useState('')
  const results = useQuery({
    queryKey: ['search', base_id, query],
    queryFn: ({ signal }) =>
      send(
        client.POST('/knowledge-bases/search', {
          body: { query, knowledge_base_ids: [base_id], limit: LIMIT },
          signal,
        }),
      ),
    enabled: query !== '',
    staleTime: 0,
    gcTime: 0,
  })
  const search = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === query) void results.refetch()
    else setQuery(text.trim())
  }
  return (
    <Section title={t('knowledge.try')} about={t('knowledge.try_about')}>
      <form onSubmit={search}>
        <Group gap="sm">
          <TextInput
            flex="1 1 200px"
            aria-label={t('knowledge.question')}
            placeholder={t('knowledge.question')}
            maxLength={2000}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={text.trim() === ''} loading={results.isFetching}>
            {t('common.search')}
          </Button>
        </Group>
      </form>
      {query !== '' && (
        <List
          {...asRows(results)}
          label={t('knowledge.found')}
          keyOf={({ document_id, locator }) => `${document_id}:${locator.start}`}
          empty={<Empty title={t('knowledge.nothing')}>{t('knowledge.nothing_about')}</Empty>}
        >
          {({ document_id, filename, locator, text, text_start }) => (
            <ListRow
              title={filename}
              meta={
                <>
                  <div>{nameOfPlace(locator)}</div>
                  <div className={classes.passage}>
                    {text.slice(locator.start - text_start, locator.end - text_start)}
                  </div>
                </>
              }
              onOpen={() => onOpen({ base_id, document_id, filename, locator })}
            />
          )}
        </List>
      )}
    </Section>
  )
}
