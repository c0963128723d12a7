import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { t } from '../i18n/words.ts'
import { Failure } from './failure.tsx'
import { Search } from './icons.ts'
import classes from './list.module.css'
import { moveFocus } from './move-focus.ts'

/** The rows of a list as a query has them: `useRows`, or `asRows` of a query without pages. */
export interface Rows<Row> {
  rows: Row[] | undefined
  error: unknown
  refetch(): unknown
  hasNextPage?: boolean
  isFetchingNextPage?: boolean
  fetchNextPage?(): unknown
}

interface Props<Row> extends Rows<Row> {
  /** The name of the list for screen readers. */
  label: string
  keyOf(row: Row): string
  /** The text of a row that the search looks in; without it there is no search. */
  textOf?(row: Row): string
  /** A search that the server does, in place of that in `textOf`. */
  search?: { text: string; onChange(text: string): void }
  /** A row, as `ListRow`; of a table, a `tr`. */
  children(row: Row): ReactNode
  /** Shown in place of a list without rows. */
  empty: ReactNode
  as?: 'rows' | 'cards'
  /** The row of headings that makes a table of the list. */
  head?: ReactNode
  /** Controls beside the search. */
  controls?: ReactNode
}

/** A list with its search, its pages, and what is shown before, without and in place of its rows. */
export function List<Row>(props: Props<Row>) {
  const { rows, error, refetch, hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = props
  const { label, keyOf, textOf, children, empty, as = 'rows', head, controls } = props
  const [typed, setTyped] = useState('')
  const search = props.search ?? (textOf && { text: typed, onChange: setTyped })
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)

  // A search looks through the whole list, so it loads the pages that are not yet here.
  useEffect(() => {
    if (words.length > 0 && hasNextPage && !isFetchingNextPage && !error) fetchNextPage?.()
  }, [words.length, hasNextPage, isFetchingNextPage, error, fetchNextPage])

  if (!rows) return error ? <Failure error={error} onRetry={() => refetch()} /> : <Waiting as={as} />
  if (rows.length === 0 && !hasNextPage && !props.search?.text) return empty
  const matching = textOf
    ? rows.filter((row) => words.every((word) => textOf(row).toLowerCase().includes(word)))
    : rows
  const shown = matching.map((row) => <Fragment key={keyOf(row)}>{children(row)}</Fragment>)
  return (
    <Stack gap="md">
      {(search || controls) && (
        <Group gap="sm">
          {search && (
            <TextInput
              flex="1 1 240px"
              maw={360}
              type="search"
              aria-label={t('forms.search_in', { list: label })}
              placeholder={t('common.search')}
              leftSection={<Search size={14} aria-hidden />}
              value={search.text}
              onChange={(event) => search.onChange(event.currentTarget.value)}
            />
          )}
          {controls}
        </Group>
      )}
      {matching.length === 0 ? (
        <Text size="sm" c="var(--meta)" role="status">
          {t(isFetchingNextPage ? 'common.loading' : 'forms.no_match')}
        </Text>
      ) : head ? (
        <div className={classes.rows}>
          <table className={classes.table} aria-label={label}>
            <thead>{head}</thead>
            <tbody onKeyDown={(event) => moveFocus(event, () => [...event.currentTarget.children])}>
              {shown}
            </tbody>
          </table>
        </div>
      ) : (
        <ul
          className={classes[as]}
          aria-label={label}
          onKeyDown={(event) => moveFocus(event, () => [...event.currentTarget.children])}
        >
          {shown}
        </ul>
      )}
      {error ? <Failure error={error} onRetry={() => refetch()} /> : null}
      {hasNextPage && words.length === 0 && (
        <Button
          variant="default"
          w="fit-content"
          loading={isFetchingNextPage}
          onClick={() => fetchNextPage?.()}
        >
          {t('common.more')}
        </Button>
      )}
    </Stack>
  )
}

/** The rows of a query that answers all of them at once. */
export const asRows = <Row,>({
  data,
  error,
  refetch,
}: {
  data: Row[] | undefined
  error: unknown
  refetch(): unknown
}): Rows<Row> => ({ rows: data, error, refetch })

function Waiting({ as }: { as: 'rows' | 'cards' }) {
  return (
    <div className={classes[as]} role="status" aria-label={t('common.loading')}>
      {[0, 1, 2].map((index) => (
        <Skeleton key={index} height={as === 'cards' ? 96 : 52} radius={as === 'cards' ? 8 : 0} />
      ))}
    </div>
  )
}
