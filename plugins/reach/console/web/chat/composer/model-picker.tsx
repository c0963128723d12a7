import { Popover, UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { ChevronDown } from '../../ui/icons.ts'
import { Loading } from '../../ui/pending.tsx'
import classes from './model-picker.module.css'
import type { AnsweringModel } from './use-answering-model.ts'

const ModelList = lazy(() => import('./model-list.tsx'))

/** The model that answers in a conversation, as a button that lets one choose another. */
export function ModelPicker({ chosen, name, defaultName, choose }: AnsweringModel) {
  const [isOpen, setOpen] = useState(false)
  const defaultLabel = defaultName
    ? t('chat.model_default_named', { model: defaultName })
    : t('chat.model_default')
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="top-start"
      width={340}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <UnstyledButton
          className={classes.button}
          data-chosen={chosen !== null}
          aria-label={t('chat.model_chosen', { model: name })}
          title={chosen === null ? defaultLabel : chosen}
          onClick={() => setOpen(!isOpen)}
        >
          <span className={classes.name}>{name}</span>
          <ChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={8} maw="calc(100vw - 16px)">
        <Suspense fallback={<Loading height={120} />}>
          <ModelList
            value={chosen}
            defaultLabel={defaultLabel}
            onChoose={(model) => {
              setOpen(false)
              choose(model)
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
