// The interfaces that plugins add to by declaration merging. One that is keyed by a plugin's name types that plugin's cradle.

/** The services that a plugin provides to those that depend on it, by the plugin's name. */
export interface Services {}

/** The services that a plugin keeps to itself, by the plugin's name. */
export interface PrivateServices {}

/** The documents of each collection, by the name of the plugin that owns it. */
export interface Collections {}

/** The manifests, by the plugin's name. */
export interface Manifests {}

/** The fields that each guard adds to a handler's request, by guard name. */
export interface GuardContexts {
  /** Everybody; the requests of an address are limited. */
  public: object
}

/** Payloads by event name. An event is a fact: it has happened, and listeners cannot change it. */
export interface Events {}
