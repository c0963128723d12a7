import { Checkbox } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { ChevronDown, ChevronUp } from '../ui/icons.ts'
import classes from './people.module.css'
import { isSelectable } from './people-cells.tsx'
import type { Sort, SortKey, usePeople } from './people-query.ts'
import type { Selection } from './selection.ts'

interface Props {
  people: ReturnType<typeof usePeople>
  selection: Selection
  hasUsage: boolean
}

/** The headings of the table, which select all rows and sort them. */
export function PeopleHead({ people, selection, hasUsage }: Props) {
  const account = useAccount()
  const rows = people.rows?.filter((person) => isSelectable(account, person)) ?? []
  const count = rows.filter(selection.has).length
  return (
    <tr>
      {rows.length === 0 ? (
        // A heading without words is a barrier.
        <td className={classes.check} />
      ) : (
        <th scope="col" className={classes.check}>
          <Checkbox
            aria-label={t('people.select_all')}
            checked={count === rows.length}
            indeterminate={count > 0 && count < rows.length}
            onChange={(event) => selection.set(rows, event.currentTarget.checked)}
          />
        </th>
      )}
      <SortHead {...people} column="display_name" first="display_name" label={t('people.name')} />
      <th scope="col">{t('groups.title')}</th>
      <SortHead {...people} column="last_seen" first="-last_seen" label={t('people.last_seen')} />
      {hasUsage && (
        <th scope="col" className={classes.number}>
          {t('people.usage')}
        </th>
      )}
      <th scope="col">{t('people.state')}</th>
    </tr>
  )
}

interface SortProps {
  sort: Sort
  setSort(sort: Sort): void
  column: SortKey
  /** The order that the first click chooses. */
  first: Sort
  label: string
}

/** A heading that sorts by its column, and by a second click in reverse. */
function SortHead({ sort, setSort, column, first, label }: SortProps) {
  const isSorted = sort.endsWith(column)
  const isDescending = sort.startsWith('-')
  const Icon = isDescending ? ChevronDown : ChevronUp
  const reverse: Sort = isDescending ? column : `-${column}`
  return (
    <th scope="col" aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" className={classes.sort} onClick={() => setSort(isSorted ? reverse : first)}>
        {label}
        <Icon size={14} aria-hidden className={isSorted ? undefined : classes.unsorted} />
      </button>
    </th>
  )
}
