import { Anchor, Radio, Stack, Switch, Text, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { Check } from '../ui/check.tsx'
import { useIssue } from '../ui/issues.tsx'
import { SchemaForm } from '../ui/schema-form.tsx'
import type { Schema } from '../ui/schema-form-schema.ts'
import { type Connector, type ConnectorKind, type ConnectorValues, checkConnector } from './connector-form.ts'

interface Props {
  kind: ConnectorKind
  values: ConnectorValues
  onChange(changes: Partial<ConnectorValues>): void
  stored?: Connector
}

/** Settings that few servers need, because people sign in and most calls are short. */
const LATER = /^(client_id|client_secret|oauth_scope|oauth_resource|headers|call_seconds)$/

/** The fields of a connector, with a check of its settings. */
export function ConnectorFields({ kind, values, onChange, stored }: Props) {
  const isAdmin = useAccount().role === 'admin'
  const { description, preset } = kind
  return (
    <>
      {(description || preset) && (
        <Text size="sm" c="var(--meta)">
          {description}{' '}
          {preset && (
            <Anchor href={preset.documentation} target="_blank" rel="noreferrer noopener" inherit>
              {t('connectors.documentation')}
            </Anchor>
          )}
        </Text>
      )}
      <TextInput
        label={t('connectors.name')}
        description={t('connectors.name_help')}
        required
        error={useIssue('/name')}
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <SchemaForm
        schema={kind.config_schema as Schema}
        values={values.config}
        onChange={(config) => onChange({ config })}
        of={kind.kind}
        at="/config"
        later={(name) => LATER.test(name)}
      />
      <Check label={t('channels.check')} check={() => checkConnector(kind, values.config, stored)} />
      {isAdmin && !stored && (
        <Radio.Group
          label={t('models.scope')}
          description={t('connectors.scope_help')}
          value={values.scope}
          onChange={(scope) => onChange({ scope: scope as Connector['scope'] })}
        >
          <Stack gap="xs" mt={6}>
            <Radio size="sm" value="user" label={t('models.scope_user')} />
            <Radio size="sm" value="global" label={t('models.scope_global')} />
          </Stack>
        </Radio.Group>
      )}
      <Switch
        label={t('connectors.default')}
        description={t('connectors.default_help')}
        checked={values.is_default}
        onChange={(event) => onChange({ is_default: event.currentTarget.checked })}
      />
    </>
  )
}
