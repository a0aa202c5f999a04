"""H6: 60 mutations of a valid access token, none of which is accepted.

The server signs with a key that the test gave it (`keyFile`), so that a token whose only fault is a claim or a member of the head has
a correct signature.
"""

import base64
import hashlib
import hmac
import json
import tempfile
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from main import run
from receiver import Receiver
from server import API, ORDINARY, PRIMARY, SECRETS, bearer

KEY = ec.generate_private_key(ec.SECP256R1())  # the server's


def b64(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sign(key, head, claims):
    text = b64(json.dumps(head).encode()) + "." + b64(json.dumps(claims).encode())
    r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return text + "." + b64(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


def public_key(jwk):
    numbers = ec.EllipticCurvePublicNumbers(int.from_bytes(unb64(jwk["x"]), "big"), int.from_bytes(unb64(jwk["y"]), "big"), ec.SECP256R1())
    return numbers.public_key()


def jwk_of(key):
    numbers = key.public_key().public_numbers()
    return {"kty": "EC", "crv": "P-256", "x": b64(numbers.x.to_bytes(32, "big")), "y": b64(numbers.y.to_bytes(32, "big"))}


def sign_text(key, head, claims):
    """Of texts, which need not be what a JSON library writes."""
    text = b64(head.encode()) + "." + b64(claims.encode())
    r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return text + "." + b64(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


def well_signed(token, listener):
    """name -> token signed with the server's key."""
    head, claims = (json.loads(unb64(part)) for part in token.split(".")[:2])
    other = ec.generate_private_key(ec.SECP256R1())
    now = int(time.time())

    def headed(**changed):
        return sign(KEY, {**head, **changed}, claims)

    def claimed(**changed):
        return sign(KEY, head, {name: value for name, value in {**claims, **changed}.items() if value is not None})

    text = json.dumps(claims)
    return {
        "jku": headed(jku=listener + "/jwks"),
        "x5u": headed(x5u=listener + "/cert"),
        "jwk in the head": headed(jwk=jwk_of(KEY)),
        "jwk of another key, which signed": sign(other, {**head, "jwk": jwk_of(other)}, claims),
        "crit": headed(crit=["exp"], exp=now),
        "an empty crit": headed(crit=[]),
        "b64": headed(b64=False, crit=["b64"]),
        "zip": headed(zip="DEF"),
        "another typ": headed(typ="JWT"),
        "no typ": sign(KEY, {name: value for name, value in head.items() if name != "typ"}, claims),
        "no kid": sign(KEY, {name: value for name, value in head.items() if name != "kid"}, claims),
        "an unknown kid": headed(kid="unknown"),
        "kid has NUL": headed(kid=head["kid"] + "\0"),
        "kid is an array": headed(kid=[head["kid"]]),
        "alg ES384": headed(alg="ES384"),
        "alg in small letters": headed(alg="es256"),
        "alg twice": sign_text(KEY, json.dumps(head)[:-1] + ', "alg": "none"}', text),
        "expired a second ago": claimed(exp=now - 1),
        "expired a minute ago": claimed(exp=now - 60),
        "no exp": claimed(exp=None),
        "exp is a text": claimed(exp=str(now + 3600)),
        "exp is negative": claimed(exp=-1),
        "exp is 1e400": sign_text(KEY, json.dumps(head), text.replace(str(claims["exp"]), "1e400")),
        "exp twice": sign_text(KEY, json.dumps(head), text[:-1] + f', "exp": {now + 9999}}}'),
        "issued in ten minutes": claimed(iat=now + 600),
        "no iat": claimed(iat=None),
        "valid in ten minutes": claimed(nbf=now + 600),
        "another issuer": claimed(iss="http://" + ORDINARY),
        "no issuer": claimed(iss=None),
        "another audience": claimed(aud="portal"),
        "a list of audiences": claimed(aud=[claims["aud"], "portal"]),
        "another tenant, our issuer": claimed(tenant=ORDINARY),
        "another tenant and its issuer": claimed(tenant=ORDINARY, iss=claims["iss"].replace(PRIMARY, ORDINARY)),
        "an unknown tenant": claimed(tenant="nowhere.example", iss="http://nowhere.example"),
        "an unknown user": claimed(sub="mallory", preferred_username="mallory"),
        "another user's credential": claimed(cred=b64(bytes(16))),
        "no credential": claimed(cred=None),
        "no jti": claimed(jti=None),
        "claims are an array": sign_text(KEY, json.dumps(head), "[" + text + "]"),
        "claims with a byte order mark": sign_text(KEY, json.dumps(head), "\ufeff" + text),
    }


def mutations(token, jwks, refresh, id_token, foreign):
    """name -> token. `own`: a key of ours, of which the server knows nothing."""
    head_text, claims_text, signature = token.split(".")
    head, claims = json.loads(unb64(head_text)), json.loads(unb64(claims_text))
    own = ec.generate_private_key(ec.SECP256R1())
    jwk = next(one for one in jwks["keys"] if one["kid"] == head["kid"])
    pem = public_key(jwk).public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def unsigned(changed, tail=""):
        return b64(json.dumps(changed).encode()) + "." + claims_text + "." + tail

    def hs256(secret, **members):
        text = b64(json.dumps({**head, "alg": "HS256", **members}).encode()) + "." + claims_text
        return text + "." + b64(hmac.new(secret, text.encode(), hashlib.sha256).digest())

    def with_claims(**changed):
        return head_text + "." + b64(json.dumps({**claims, **changed}).encode()) + "." + signature

    n = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    raw = unb64(signature)
    now = int(time.time())
    return {
        **{f"alg {alg}": unsigned({**head, "alg": alg}) for alg in ("none", "None", "NONE", "nOnE", "")},
        "alg none with the signature": unsigned({**head, "alg": "none"}, signature),
        "no alg": unsigned({key: value for key, value in head.items() if key != "alg"}, signature),
        "HS256 with the public key as PEM": hs256(pem),
        "HS256 with the public key as DER": hs256(public_key(jwk).public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)),
        "HS256 with the JWK": hs256(json.dumps(jwk).encode()),
        "HS256 with an empty key": hs256(b""),
        "ES384 named": unsigned({**head, "alg": "ES384"}, signature),
        "RS256 named": unsigned({**head, "alg": "RS256"}, signature),
        "another key": sign(own, head, claims),
        "another key, unknown kid": sign(own, {**head, "kid": "unknown"}, claims),
        "another key, no kid": sign(own, {key: value for key, value in head.items() if key != "kid"}, claims),
        "kid is a path": sign(own, {**head, "kid": "../../../../dev/null"}, claims),
        "kid is SQL": sign(own, {**head, "kid": "x' OR '1'='1"}, claims),
        "kid is a number": sign(own, {**head, "kid": 1}, claims),
        "no signature": head_text + "." + claims_text + ".",
        "two parts": head_text + "." + claims_text,
        "four parts": token + "." + signature,
        "r and s are 0": head_text + "." + claims_text + "." + b64(bytes(64)),
        "r is n": head_text + "." + claims_text + "." + b64(n.to_bytes(32, "big") + raw[32:]),
        "a signature in DER": head_text + "." + claims_text + "." + b64(utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))),
        "a signature of 63 bytes": head_text + "." + claims_text + "." + b64(raw[:63]),
        "a signature of 65 bytes": head_text + "." + claims_text + "." + b64(raw + b"\0"),
        "padding": token + "==",
        "base64 of another alphabet": head_text + "." + claims_text + "." + base64.b64encode(raw).decode(),
        "base64 with other unused bits": token[:-1] + chr(ord(token[-1]) + 1 if token[-1] not in "Zz9-_" else ord("B")),
        "a line break within": token[:20] + "%0A" + token[20:],
        "a later end": with_claims(exp=now + 10**6),
        "another tenant": with_claims(tenant=ORDINARY),
        "another role": with_claims(role="super"),
        "another user": with_claims(sub="bob"),
        "claims twice": head_text + "." + b64(unb64(claims_text)[:-1] + b',"exp":9999999999}') + "." + signature,
        "64 KiB": token + "A" * 65536,
        "the refresh token": refresh,
        "the id token": id_token,
        "a token of another tenant's issuer, as ours": foreign.split(".")[0] + "." + claims_text + "." + foreign.split(".")[2],
    }


def check(server, checks):
    form = "grant_type=password&client_id=patchbay-admin&username=alice&password={}&scope=openid%20offline_access"
    answer = server.ask("POST", "/oidc.ashx/token", form.format(SECRETS["alice"]), {}, PRIMARY).json()
    token = answer["access_token"]
    jwks = server.ask("GET", "/oidc.ashx/jwks").json()
    foreign = server.token("carol", ORDINARY)
    head, claims = (json.loads(unb64(part)) for part in token.split(".")[:2])
    for what, valid in (("the token itself", token), ("the token, signed by us", sign(KEY, head, claims)),
                        ("another exp, signed by us", sign(KEY, head, {**claims, "exp": claims["exp"] - 1}))):
        checks.check(server.ask("GET", API + "/calls", None, bearer(valid)).status == 200, f"{what} is accepted")
    listener = Receiver()
    wrong = mutations(token, jwks, answer["refresh_token"], answer["id_token"], foreign)
    signed = {f"{name}, well signed": one for name, one in well_signed(token, listener.url).items()}
    checks.check(len(wrong) + len(signed) >= 60, f"only {len(wrong) + len(signed)} mutations")
    for name, one in {**wrong, **signed}.items():
        answer = server.ask("GET", API + "/calls", None, bearer(one))
        checks.check(answer.status in (400, 401, 431), f"{name}: {answer.status}")
        if answer.status == 401:
            checks.check("bearer" in answer.headers.get("www-authenticate", "").lower(), f"{name}: no WWW-Authenticate")
    checks.check(not listener.deliveries, f"the server fetched {[one.path for one in listener.deliveries]}")
    checks.check(server.ask("GET", API + "/calls", None, bearer(token)).status == 200, "the token is accepted afterwards")


with tempfile.NamedTemporaryFile(suffix=".pem") as pem_file:
    pem_file.write(KEY.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    pem_file.flush()
    run(check, identity=f"keyFile: {pem_file.name}")
