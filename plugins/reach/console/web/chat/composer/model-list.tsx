import { Combobox, TextInput, useCombobox } from '@mantine/core'
import { useEffect, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { useModelChoice } from '../../models/model-choice.tsx'
import { Check } from '../../ui/icons.ts'
import classes from './model-picker.module.css'

interface Props {
  /** The chosen model; null for the default of the agent. */
  value: string | null
  /** The name of the default, with the model that it is; without it, a model has to be chosen. */
  defaultLabel?: string
  onChoose(model: string | null): void
}

/** The most models that are listed before somebody searches. */
const MAX_LISTED = 200
/** The option for no choice; references of models have a colon. */
const DEFAULT = 'default'

/** The models that can answer, by provider, with a search over them. */
export default function ModelList({ value, defaultLabel, onChoose }: Props) {
  const [search, setSearch] = useState('')
  const choice = useModelChoice(value === null ? [] : [value], ({ model_kind }) => model_kind === 'chat')
  const groups = choice.filter({ options: choice.data, search, limit: MAX_LISTED })
  const combobox = useCombobox({ opened: true })
  const { selectFirstOption, selectActiveOption } = combobox
  useEffect(() => {
    if (search === '') selectActiveOption()
    else selectFirstOption()
  }, [search, selectActiveOption, selectFirstOption])
  const mark = <Check size={14} aria-hidden className={classes.check} />
  return (
    <Combobox
      store={combobox}
      size="sm"
      onOptionSubmit={(model) => onChoose(model === DEFAULT ? null : model)}
    >
      <Combobox.EventsTarget withExpandedAttribute={false}>
        <TextInput
          size="sm"
          data-autofocus
          aria-label={t('chat.find_model')}
          placeholder={t('chat.find_model')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={classes.options} aria-label={t('chat.model')}>
        {defaultLabel && search === '' && (
          <Combobox.Option value={DEFAULT} active={value === null} className={classes.option}>
            <span>{defaultLabel}</span>
            {value === null && mark}
          </Combobox.Option>
        )}
        {groups.map(
          (group) =>
            'group' in group && (
              <Combobox.Group key={String(group.group)} label={group.group}>
                {group.items.map(
                  (option) =>
                    'value' in option && (
                      <Combobox.Option
                        key={option.value}
                        value={option.value}
                        active={option.value === value}
                        className={classes.option}
                      >
                        {choice.renderOption({ option })}
                        {option.value === value && mark}
                      </Combobox.Option>
                    ),
                )}
              </Combobox.Group>
            ),
        )}
        {groups.length === 0 && <Combobox.Empty>{choice.nothingFoundMessage}</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  )
}
