import { MultiSelect } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useModelChoice } from '../models/model-choice.tsx'
import { useIssue } from '../ui/issues.tsx'

/** The most models of the field `fallback_models`. */
const MAX_MODELS = 3

interface Props {
  value: string[]
  onChange(models: string[]): void
}

/** The models that are asked, in this order, if the agent's model cannot answer. */
export function FallbackModels({ value, onChange }: Props) {
  const choice = useModelChoice(value)
  return (
    <MultiSelect
      {...choice}
      label={t('agents.fallback_models')}
      description={t('agents.fallback_models_help')}
      placeholder={value.length === 0 ? t('agents.fallback_models_none') : ''}
      error={useIssue('/config/fallback_models')}
      value={value}
      onChange={onChange}
      maxValues={MAX_MODELS}
      hidePickedOptions
    />
  )
}
