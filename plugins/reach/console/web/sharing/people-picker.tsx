import { MultiSelect, type MultiSelectProps, Pill, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { UserRound, Users } from '../ui/icons.ts'
import { type DirectoryEntry, keyOf, nameOf, useDirectory, useSharingRule } from './directory.ts'
import classes from './people-picker.module.css'

type Field = Pick<
  MultiSelectProps,
  'label' | 'aria-label' | 'description' | 'placeholder' | 'error' | 'disabled' | 'maxValues'
>

interface Props extends Field {
  value: readonly DirectoryEntry[]
  onChange(entries: DirectoryEntry[]): void
  /** Offers only people, or only groups. */
  kind?: DirectoryEntry['kind']
  /** False for entries that cannot be chosen, for example because they are in a list already. */
  isOffered?(entry: DirectoryEntry): boolean
  /** True if a dialog puts the focus here. */
  'data-autofocus'?: true | undefined
}

/** The pause after which a search is sent. */
const PAUSE_MS = 150

/** A field that finds people and groups while somebody types. Several can be chosen. */
export function PeoplePicker({ value, onChange, kind, isOffered = () => true, ...field }: Props) {
  const [search, setSearch] = useState('')
  const [isOpen, setOpen] = useState(false)
  const typed = search.trim()
  const [q] = useDebouncedValue(typed, PAUSE_MS)
  const { data = [], error, isPlaceholderData, isPending } = useDirectory(q, kind)
  const rule = useSharingRule()
  const isCurrent = q === typed && !isPlaceholderData
  // Enter must never choose somebody whom the text does not name, even before the search has been answered.
  const offered = data.filter((entry) => isOffered(entry) && (isCurrent || isMatch(entry, typed)))
  const entries = new Map([...offered, ...value].map((entry) => [keyOf(entry), entry]))
  const chosen = value.map(keyOf)
  const matches = offered.filter((entry) => !chosen.includes(keyOf(entry)))
  const isWaiting = isPending || !isCurrent
  const empty = error
    ? readFailure(error).message
    : isWaiting
      ? t('common.loading')
      : t(rule === 'groups' ? 'sharing.none_in_groups' : 'sharing.none_match')
  return (
    <>
      <MultiSelect
        {...field}
        disabled={field.disabled || rule === 'off'}
        description={describeRule(rule) ?? field.description}
        data={[...entries].map(([key, entry]) => ({ value: key, label: nameOf(entry) }))}
        value={chosen}
        onChange={(keys) => {
          // The list must not cover the chosen entries, which may be shown below the field.
          setOpen(false)
          onChange(keys.map((key) => entries.get(key)!))
        }}
        searchable
        openOnFocus={false}
        searchValue={search}
        onSearchChange={setSearch}
        filter={({ options }) => options}
        hidePickedOptions
        selectFirstOptionOnChange={!isWaiting}
        nothingFoundMessage={empty}
        maxDropdownHeight={280}
        rightSection={null}
        onKeyDown={(event) => {
          // Enter chooses; it must not submit the form around the field.
          if (event.key === 'Enter') event.preventDefault()
        }}
        dropdownOpened={isOpen}
        onDropdownOpen={() => setOpen(value.length < (field.maxValues ?? Number.POSITIVE_INFINITY))}
        onDropdownClose={() => setOpen(false)}
        renderOption={({ option }) => <Entry entry={entries.get(option.value)!} />}
        renderPill={({ value: key, onRemove, disabled }) => (
          <Pill withRemoveButton onRemove={onRemove ?? (() => {})} disabled={disabled ?? false}>
            {nameOf(entries.get(String(key))!)}
          </Pill>
        )}
      />
      <VisuallyHidden role="status">
        {isOpen && (matches[0] ? !isWaiting && announce(matches[0], matches.length) : empty)}
      </VisuallyHidden>
    </>
  )
}

/** The icon of a person or a group. */
const EntryIcon = ({ kind, size = 16 }: Pick<DirectoryEntry, 'kind'> & { size?: number }) =>
  kind === 'group' ? <Users size={size} aria-hidden /> : <UserRound size={size} aria-hidden />

function Entry({ entry }: { entry: DirectoryEntry }) {
  const { kind, name, display_name } = entry
  const about = kind === 'group' ? t('sharing.group') : display_name && name
  return (
    <span className={classes.entry}>
      <EntryIcon kind={kind} />
      <span className={classes.name}>{nameOf(entry)}</span>
      {about && <small className={classes.about}>{about}</small>}
    </span>
  )
}

/** Enter chooses the first match, so screen readers must hear which one it is. */
const announce = (first: DirectoryEntry, count: number) =>
  t('sharing.matches', { count, name: nameOf(first) })

const isMatch = ({ name, display_name }: DirectoryEntry, text: string) =>
  `${name}\n${display_name ?? ''}`.toLowerCase().includes(text.toLowerCase())

const describeRule = (rule: ReturnType<typeof useSharingRule>) => {
  if (rule === 'off') return t('sharing.off')
  return rule === 'groups' ? t('sharing.limited') : undefined
}
