import { MultiSelect, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useModelChoice } from '../models/model-choice.tsx'
import { ModelSelect } from '../models/model-select.tsx'
import { api } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { useIssue } from '../ui/issues.tsx'
import { MoreSettings } from '../ui/more-settings.tsx'
import { SourceSelect } from '../ui/source-select.tsx'
import { IconChoice } from './icon-choice.tsx'
import type { Agent } from './use-agent.ts'

/** The settings of a model's calls, as the agent has them. */
export interface Config {
  temperature?: number
  top_p?: number
  max_output_tokens?: number
  max_steps?: number
  reasoning?: 'off' | 'low' | 'medium' | 'high'
  fallback_models?: string[]
  tools_with_approval?: string[]
  tools_without_approval?: string[]
}

export type GeneralValues = Pick<
  Agent,
  'name' | 'icon' | 'color' | 'description' | 'default_model' | 'knowledge_base_ids'
> & {
  config: Config
}

interface Props {
  values: GeneralValues
  onChange(changes: Partial<GeneralValues>): void
}

const REASONING = ['off', 'low', 'medium', 'high'] as const

/** The fields of an agent's name, look and model. */
export function GeneralFields({ values, onChange }: Props) {
  const { data: active } = api.useQuery('get', '/models/active')
  const { features } = useFacts()
  const { name, description, default_model, config } = values
  const setConfig = (changes: Config) => {
    const definedFields = Object.entries({ ...config, ...changes }).filter(([, value]) => value !== undefined)
    onChange({ config: Object.fromEntries(definedFields) })
  }
  return (
    <Stack gap="lg" maw={560}>
      <TextInput
        label={t('agents.name')}
        required
        error={useIssue('/name')}
        value={name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
      />
      <IconChoice agent={values} onChange={onChange} />
      <Textarea
        label={t('agents.description')}
        description={t('agents.description_help')}
        autosize
        minRows={2}
        maxRows={6}
        error={useIssue('/description')}
        value={description ?? ''}
        onChange={(event) => onChange({ description: event.currentTarget.value || null })}
      />
      <ModelSelect
        label={t('agents.model')}
        placeholder={
          active?.model ? t('agents.model_standard', { model: active.model }) : t('models.active_none')
        }
        clearable
        error={useIssue('/default_model')}
        value={default_model}
        onChange={(default_model) => onChange({ default_model })}
      />
      <FallbackModels
        value={config.fallback_models ?? []}
        onChange={(models) => setConfig({ fallback_models: models.length > 0 ? models : undefined })}
      />
      <Select
        label={t('agents.reasoning')}
        description={t('agents.reasoning_help')}
        data={[
          { value: '', label: t('forms.default') },
          ...REASONING.map((value) => ({ value, label: t(`agents.reasoning_${value}`) })),
        ]}
        value={config.reasoning ?? ''}
        allowDeselect={false}
        onChange={(value) => setConfig({ reasoning: REASONING.find((level) => level === value) })}
      />
      {features.knowledge && (
        <SourceSelect
          field="knowledge_base_ids"
          description={t('knowledge.of_agent_help')}
          value={values.knowledge_base_ids ?? []}
          onChange={(knowledge_base_ids) => onChange({ knowledge_base_ids })}
        />
      )}
      <MoreSettings maw={320}>
        <ConfigNumber name="temperature" max={2} decimal {...{ config, setConfig }} />
        <ConfigNumber name="top_p" max={1} decimal {...{ config, setConfig }} />
        <ConfigNumber name="max_output_tokens" min={1} {...{ config, setConfig }} />
        <ConfigNumber name="max_steps" min={1} max={100} {...{ config, setConfig }} />
      </MoreSettings>
    </Stack>
  )
}

interface NumberProps {
  name: 'temperature' | 'top_p' | 'max_output_tokens' | 'max_steps'
  min?: number
  max?: number
  decimal?: boolean
  config: Config
  setConfig(changes: Config): void
}

function ConfigNumber({ name, min = 0, max, decimal = false, config, setConfig }: NumberProps) {
  return (
    <NumberInput
      label={t(`agents.${name}`)}
      description={t(`agents.${name}_help`)}
      placeholder={t('forms.default')}
      min={min}
      max={max}
      step={decimal ? 0.1 : 1}
      allowDecimal={decimal}
      error={useIssue(`/config/${name}`)}
      value={config[name] ?? ''}
      onChange={(value) => setConfig({ [name]: typeof value === 'number' ? value : undefined })}
    />
  )
}

/** The most models of the field `fallback_models`. */
const MAX_MODELS = 3

interface FallbackModelsProps {
  value: string[]
  onChange(models: string[]): void
}

/** The models that are asked, in this order, if the agent's model cannot answer. */
function FallbackModels({ value, onChange }: FallbackModelsProps) {
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
