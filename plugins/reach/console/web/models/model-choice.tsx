import type { ComboboxParsedItem, ComboboxParsedItemGroup, OptionsFilter } from '@mantine/core'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import classes from './model-choice.module.css'
import { describeModel } from './model-facts.ts'
import { useModels } from './use-models.ts'

type Model = components['schemas']['Model']

/** The properties of a choice among the models that the account can use, by provider, with what is known of each. */
export function useModelChoice(
  chosen: readonly string[],
  isOffered: (model: Model) => boolean = () => true,
  kind: Model['model_kind'] = 'chat',
) {
  const models = useModels({ kind }).filter(isOffered)
  const byId = new Map(models.map((model) => [model.id, model]))
  const groups = [...new Set(models.map(({ provider }) => provider))].map((provider) => ({
    group: provider,
    items: models
      .filter((model) => model.provider === provider)
      .map(({ id, name }) => ({ value: id, label: name || id })),
  }))
  // A model that is gone is still shown, so that nobody loses it by opening the form.
  const missing = chosen.filter((id) => !byId.has(id))
  if (missing.length > 0) groups.push({ group: '', items: missing.map((id) => ({ value: id, label: id })) })
  return {
    data: groups,
    searchable: true,
    maxDropdownHeight: 320,
    nothingFoundMessage: t('models.none_found'),
    filter,
    classNames: { option: classes.option },
    renderOption({ option: { value, label } }: { option: { value: string; label?: string } }) {
      const model = byId.get(value)
      const facts = model && describeModel(model)
      return (
        <span className={classes.model}>
          <span>{label}</span>
          {facts && <small className={classes.facts}>{facts}</small>}
        </span>
      )
    },
  }
}

/** Finds models by each word of a search, in their references and names. */
const filter: OptionsFilter = ({ options, search }) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const isMatch = (item: ComboboxParsedItem) =>
    'value' in item && words.every((word) => `${item.value} ${item.label}`.toLowerCase().includes(word))
  return options
    .map((option) => (isGroup(option) ? { ...option, items: option.items.filter(isMatch) } : option))
    .filter((option) => (isGroup(option) ? option.items.length > 0 : isMatch(option)))
}

const isGroup = (option: ComboboxParsedItem): option is ComboboxParsedItemGroup => 'group' in option
