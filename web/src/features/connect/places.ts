/** Where a model can be had. */
export interface Place {
  id: 'claude' | 'gpt' | 'gemini' | 'openrouter' | 'own' | 'ollama'
  /** A name that is the same in all languages. */
  name?: string
  provider: string
  /** Where a key is made, or the program is found. */
  link?: string
  /** What the field of the address begins with, if it has one. */
  address?: string
}

export const PLACES: Place[] = [
  {
    id: 'claude',
    name: 'Claude',
    provider: 'anthropic',
    link: 'https://console.anthropic.com/settings/keys',
  },
  { id: 'gpt', name: 'GPT', provider: 'openai', link: 'https://platform.openai.com/api-keys' },
  { id: 'gemini', name: 'Gemini', provider: 'google', link: 'https://aistudio.google.com/apikey' },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    provider: 'openrouter',
    link: 'https://openrouter.ai/settings/keys',
  },
  {
    id: 'ollama',
    name: 'Ollama',
    provider: 'ollama',
    link: 'https://ollama.com/download',
    address: 'http://127.0.0.1:11434',
  },
  { id: 'own', provider: 'openai', address: '' },
]

export const isOwn = (place: Place): boolean => place.address !== undefined
