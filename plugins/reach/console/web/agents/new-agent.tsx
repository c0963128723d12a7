import { Tabs, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { components } from '#client'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import type { SharedThing } from '../sharing/kinds.ts'
import { ShareItem } from '../sharing/share-item.tsx'
import { SharingSheet } from '../sharing/sharing-sheet.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { useIssue } from '../ui/issues.tsx'
import { asRows, List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { MissingTools } from '../ui/missing-tools.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { AgentIcon } from './agent-icon.tsx'

type PublishedExpert = components['schemas']['PublishedExpert']

/** The beginning of a new agent: nothing, an expert of the server, or one that somebody has published. */
type Source = { from: 'nothing' } | { from: 'expert' | 'published'; id: string; name: string }

/** Creates a blank agent or one from an expert, and opens its settings. */
export function NewAgent({ onClose }: { onClose(): void }) {
  const [source, setSource] = useState<Source>()
  const [shared, setShared] = useState<SharedThing>()
  if (shared) return <SharingSheet thing={shared} onClose={() => setShared(undefined)} />
  return source ? (
    <NameAgent source={source} onClose={onClose} />
  ) : (
    <ChooseSource onChoose={setSource} onShare={setShared} onClose={onClose} />
  )
}

interface ChooseSourceProps {
  onChoose(source: Source): void
  onShare(expert: SharedThing): void
  onClose(): void
}

function ChooseSource({ onChoose, onShare, onClose }: ChooseSourceProps) {
  const experts = api.useQuery('get', '/experts')
  const published = useRows('/experts/published')
  return (
    <Sheet title={t('agents.new')} onClose={onClose} width={560}>
      <ul style={{ margin: 0, padding: 0, listStyle: 'none' }}>
        <ListRow
          icon={<AgentIcon agent={{ name: '+', icon: null, color: null }} />}
          title={t('agents.from_nothing')}
          meta={t('agents.from_nothing_about')}
          onOpen={() => onChoose({ from: 'nothing' })}
        />
      </ul>
      <Tabs defaultValue="experts" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="experts">{t('agents.experts')}</Tabs.Tab>
          <Tabs.Tab value="published">{t('agents.published')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="experts">
          <List
            {...asRows(experts)}
            label={t('agents.experts')}
            keyOf={({ id }) => id}
            textOf={({ label, description }) => `${label[language]} ${description[language]}`}
            empty={<Empty title={t('agents.no_experts')}>{t('agents.no_experts_about')}</Empty>}
          >
            {({ id, label, description, icon, color, missing }) => (
              <ListRow
                icon={<AgentIcon agent={{ name: label[language], icon, color }} />}
                title={label[language]}
                meta={
                  <>
                    {description[language]}
                    <MissingTools tools={missing} />
                  </>
                }
                isDimmed={missing.length > 0}
                onOpen={() => onChoose({ from: 'expert', id, name: label[language] })}
              />
            )}
          </List>
        </Tabs.Panel>
        <Tabs.Panel value="published">
          <List
            {...published}
            label={t('agents.published')}
            keyOf={({ id }) => id}
            textOf={({ name, description, created_by }) => `${name} ${description ?? ''} ${created_by}`}
            empty={<Empty title={t('agents.no_published')}>{t('agents.no_published_about')}</Empty>}
          >
            {(expert) => (
              <ListRow
                icon={<AgentIcon agent={expert} />}
                title={expert.name}
                meta={
                  <>
                    {[expert.description, t('agents.published_by', { name: expert.created_by })]
                      .filter(Boolean)
                      .join(' · ')}
                    <MissingTools tools={expert.missing} />
                  </>
                }
                isDimmed={expert.missing.length > 0}
                onOpen={() => onChoose({ from: 'published', id: expert.id, name: expert.name })}
              >
                {expert.can_edit && (
                  <PublishedActions
                    expert={expert}
                    onShare={() => onShare({ kind: 'expert', ...expert, owner: expert.created_by })}
                  />
                )}
              </ListRow>
            )}
          </List>
        </Tabs.Panel>
      </Tabs>
    </Sheet>
  )
}

function NameAgent({ source, onClose }: { source: Source; onClose(): void }) {
  // An expert's name is a proposal; an agent made from a published expert gets that name by itself.
  const proposed = source.from === 'expert' ? source.name : ''
  const [name, setName] = useState(proposed)
  const navigate = useNavigate()
  const create = async () => {
    const { id } = await send(createFrom(source, name.trim()))
    await refresh('/agents')
    navigate({ to: '/agents/$id', params: { id } })
  }
  return (
    <Sheet
      title={source.from === 'nothing' ? t('agents.new') : t('agents.new_from', { expert: source.name })}
      isDirty={name !== proposed}
      canSave={source.from === 'published' || name.trim() !== ''}
      onSave={create}
      saveLabel={t('agents.create')}
      onClose={onClose}
    >
      <NameField
        name={name}
        onChange={setName}
        suggested={source.from === 'published' ? source.name : undefined}
      />
    </Sheet>
  )
}

interface NameFieldProps {
  name: string
  onChange(name: string): void
  /** The name that the server chooses if none is given. */
  suggested: string | undefined
}

function NameField({ name, onChange, suggested }: NameFieldProps) {
  return (
    <TextInput
      label={t('agents.name')}
      description={suggested === undefined ? undefined : t('agents.name_optional')}
      placeholder={suggested}
      required={suggested === undefined}
      error={useIssue('/name')}
      value={name}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      data-autofocus
    />
  )
}

function createFrom(source: Source, name: string) {
  if (source.from === 'nothing') return client.POST('/agents', { body: { name } })
  const params = { path: { expert_id: source.id } }
  return source.from === 'expert'
    ? client.POST('/agents/from-expert/{expert_id}', { params, body: { name } })
    : client.POST('/experts/published/{expert_id}/install', { params, body: name ? { name } : {} })
}

/** Shares or withdraws an expert that was published. */
function PublishedActions({ expert, onShare }: { expert: PublishedExpert; onShare(): void }) {
  const [isAsking, setAsking] = useState(false)
  const { id: expert_id, name } = expert
  const withdraw = async () => {
    await send<unknown>(client.DELETE('/experts/published/{expert_id}', { params: { path: { expert_id } } }))
    await refresh('/experts/published')
  }
  return (
    <>
      <RowMenu name={name} deleteLabel={t('agents.withdraw_action')} onDelete={() => setAsking(true)}>
        <ShareItem row={expert} onOpen={onShare} />
      </RowMenu>
      {isAsking && (
        <Confirm
          title={t('agents.withdraw_title', { name })}
          action={t('agents.withdraw_action')}
          onConfirm={withdraw}
          onClose={() => setAsking(false)}
        >
          {t('agents.withdraw_about')}
        </Confirm>
      )}
    </>
  )
}
