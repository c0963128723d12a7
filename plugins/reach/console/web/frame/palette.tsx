import { TextInput, UnstyledButton } from '@mantine/core'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { t } from '../i18n/words.ts'
import { Snippet } from '../search/snippet.tsx'
import classes from './palette.module.css'
import { type Entry, usePaletteGroups } from './palette-entries.ts'

interface Props {
  onClose(): void
  onShowKeys(): void
}

/** A search over conversations and what was said in them, agents, projects, pages and actions, by keys alone. */
export function Palette({ onClose, onShowKeys }: Props) {
  const [search, setSearch] = useState('')
  const [selectedIndex, setSelectedIndex] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const { groups, isSearching } = usePaletteGroups(search, { onClose, onShowKeys })
  const entries = groups.flatMap((group) => group.entries)
  const chosen = Math.min(selectedIndex, entries.length - 1)

  useEffect(() => {
    list.current?.querySelectorAll('[role=option]')[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setSelectedIndex((chosen + step + entries.length) % Math.max(entries.length, 1))
    else if (event.key === 'Enter') entries[chosen]?.run()
    else return
    event.preventDefault()
  }

  let index = -1
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key for it is Esc
    <dialog
      ref={open}
      className={classes.dialog}
      aria-label={t('frame.palette')}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <TextInput
        variant="unstyled"
        className={classes.search}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={entries[chosen] && `${id}-${chosen}`}
        aria-label={t('frame.palette')}
        placeholder={t('frame.palette')}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value)
          setSelectedIndex(0)
        }}
        onKeyDown={handleKey}
      />
      <div ref={list} id={id} role="listbox" aria-label={t('frame.palette')} className={classes.list}>
        {groups.map(({ key, title, entries }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be within a listbox
          <div key={key} role="group" aria-label={title}>
            <div className={classes.group} aria-hidden>
              {title}
            </div>
            {entries.map((entry) => {
              index += 1
              const position = index
              return (
                <Option
                  key={entry.key}
                  id={`${id}-${position}`}
                  entry={entry}
                  isChosen={position === chosen}
                  onPoint={() => setSelectedIndex(position)}
                />
              )
            })}
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className={classes.nothing}>{t('frame.nothing_found')}</p>}
      {isSearching && (
        <p className={classes.nothing} role="status">
          {t('search.searching')}
        </p>
      )}
    </dialog>
  )
}

/** Opens the dialog in the same task as the shortcut, so that keys that follow at once arrive in its field. */
function open(dialog: HTMLDialogElement | null): void {
  if (!dialog || dialog.open) return
  dialog.showModal()
  dialog.querySelector('input')?.focus()
}

interface OptionProps {
  id: string
  entry: Entry
  isChosen: boolean
  onPoint(): void
}

function Option({ id, entry: { label, about, icon: Icon, snippet, run }, isChosen, onPoint }: OptionProps) {
  return (
    <UnstyledButton
      id={id}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      className={classes.entry}
      onClick={run}
      onMouseMove={onPoint}
    >
      <Icon size={16} aria-hidden />
      <span className={classes.label}>
        {label}
        {snippet && <Snippet parts={snippet} isLine />}
      </span>
      <span className={classes.about}>{about}</span>
    </UnstyledButton>
  )
}
