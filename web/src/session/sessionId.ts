import { createContext, useContext } from 'react'

const SessionId = createContext('')

export const SessionIdProvider = SessionId.Provider
export const useSessionId = () => useContext(SessionId)
