import { NumberInput, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { useIssue } from '../ui/issues.tsx'
import { SchemaForm } from '../ui/schema-form.tsx'
import type { Schema } from '../ui/schema-form-schema.ts'
import { Secret } from '../ui/secret.tsx'
import type { Provider, ProviderKind, ProviderValues } from './provider-form.ts'
import { ProviderModels } from './provider-models.tsx'

interface Props {
  kind: ProviderKind
  values: ProviderValues
  onChange(changes: Partial<ProviderValues>): void
  /** The provider that is changed; a new one has none. */
  stored?: Provider
}

/** Kinds that always need a key. */
const WITH_KEY = ['anthropic', 'google', 'openai']
/** Kinds that have no default address. */
const WITH_ADDRESS = ['azure-openai', 'openai-compatible']

/** The fields of a provider, with a test that shows its models. */
export function ProviderFields({ kind, values, onChange, stored }: Props) {
  const isAdmin = useAccount().role === 'admin'
  const needsAddress = WITH_ADDRESS.includes(kind.kind)
  const isAddressFirst = needsAddress || kind.kind === 'ollama'
  const issues = {
    name: useIssue('/name'),
    base_url: useIssue('/base_url'),
    api_key: useIssue('/api_key'),
    max_concurrency: useIssue('/max_concurrency'),
  }
  return (
    <>
      {isAdmin && !stored && (
        <Stack gap={4}>
          <Text size="sm" fw={600} id="provider-scope">
            {t('models.scope')}
          </Text>
          <SegmentedControl
            aria-labelledby="provider-scope"
            w="fit-content"
            data={[
              { value: 'global', label: t('models.scope_global') },
              { value: 'user', label: t('models.scope_user') },
            ]}
            value={values.scope}
            onChange={(scope) => onChange({ scope: scope as Provider['scope'] })}
          />
        </Stack>
      )}
      {kind.kind !== 'demo' && (
        <>
          {isAddressFirst && (
            <Address {...{ kind, values, onChange }} error={issues.base_url} isRequired={needsAddress} />
          )}
          <Secret
            label={t('models.api_key')}
            value={values.api_key}
            isStored={stored?.has_api_key ?? false}
            required={WITH_KEY.includes(kind.kind)}
            error={issues.api_key}
            onChange={(api_key) => onChange({ api_key })}
          />
        </>
      )}
      <ProviderModels kind={kind} values={values} onChange={onChange} stored={stored} />
      <TextInput
        label={t('models.name')}
        description={t('models.name_help')}
        required
        value={values.name}
        error={issues.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      {kind.kind !== 'demo' && !isAddressFirst && (
        <Address {...{ kind, values, onChange }} error={issues.base_url} isRequired={false} />
      )}
      <SchemaForm
        schema={kind.config_schema as Schema}
        values={values.options}
        onChange={(options) => onChange({ options })}
        of={kind.kind.replaceAll('-', '_')}
        at="/options"
        isStored={stored !== undefined}
      />
      <NumberInput
        label={t('models.max_concurrency')}
        description={t('models.max_concurrency_help')}
        value={values.max_concurrency ?? ''}
        error={issues.max_concurrency}
        min={1}
        allowDecimal={false}
        onChange={(value) => onChange({ max_concurrency: typeof value === 'number' ? value : null })}
      />
      <Switch
        label={t('models.enabled')}
        checked={values.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
    </>
  )
}

interface AddressProps extends Pick<Props, 'kind' | 'values' | 'onChange'> {
  error: string | undefined
  isRequired: boolean
}

function Address({ kind, values, onChange, error, isRequired }: AddressProps) {
  return (
    <TextInput
      label={t('models.base_url')}
      description={t(isRequired ? 'models.base_url_needed' : 'models.base_url_help')}
      placeholder={kind.default_base_url ?? 'https://'}
      required={isRequired}
      value={values.base_url ?? ''}
      error={error}
      onChange={(event) => onChange({ base_url: event.currentTarget.value || null })}
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
    />
  )
}
