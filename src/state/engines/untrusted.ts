/** The codes of errors of TLS that no further try mends: the server's certificate is not one to trust, or ours is not to it. */
export const UNTRUSTED = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;
