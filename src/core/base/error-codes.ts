/**
 * Every code of an error, `error.code` of the API, in one list. A code is sent with its error between page and worker, in the
 * trace and over HTTP: programs compare codes, never messages.
 */
export const errorCodes = [
  // The request cannot be answered as it was asked.
  "invalid_value",
  "unknown_parameter",
  "unsupported_parameter",
  "unsupported_value",
  "invalid_request",
  "invalid_json",
  "context_length_exceeded",
  "body_too_large",
  "unsupported_media_type",
  "method_not_allowed",
  "unknown_url",
  "invalid_api_key",
  "origin_not_allowed",
  "host_not_allowed",
  "rate_limit_exceeded",
  // A name that does not exist or is taken, or a mod that cannot be registered.
  "model_not_found",
  "model_id_taken",
  "mod_not_found",
  "mods_too_large",
  "too_many_mods",
  "mods_fixed",
  "mod_name_taken",
  "invalid_mod",
  "mod_does_not_compile",
  "mod_not_exported",
  "request_not_found",
  "request_not_finished",
  "response_not_found",
  "previous_response_not_found",
  "item_not_found",
  "trace_not_found",
  // The request began, but did not finish.
  "request_cancelled",
  "mod_failed",
  "format_not_kept",
  "text_taken_back",
  // The engine, or the server around the engine.
  "engine_failed",
  "engine_disposed",
  "engine_closed",
  "upstream_failed",
  "upstream_unavailable",
  "model_not_loaded",
  "model_unloaded",
  "no_engine",
  "no_document",
  "internal_error",
  "server_error",
  "server_stopped",
  "server_busy",
  "server_loading",
  "request_timeout",
  // The store of traces, responses and mods.
  "store_failed",
  "stored_data_invalid",
] as const;

export type ErrorCode = (typeof errorCodes)[number];
