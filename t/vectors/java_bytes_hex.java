/* SPDX-License-Identifier: MIT */
/* Write java_bytes_hex.tsv: fingerprints of 64 bits that gemantic's SimHash.java gives to what Java
 * decodes from bytes that are no UTF-8. Token, hash and sum are told in simhash-profiles(7).
 *
 *     java java_bytes_hex.java >java_bytes_hex.tsv
 */
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.StringTokenizer;

class JavaBytesHex {
	static final int BITS = 64;
	static final String[] INPUTS = {
		"80", "ff", "c3", "c080", "e280", "e28041", "e08080", "f09f98", "f0808080", "f4908080", "f888808080",
		"efbfbd", "ed9fbf", "ed9f", "ed9f41", "ed", "ed41", "eda0", "eda041", "eda080", "edbfbf", "eda08041",
		"eda08080", "eda0eda080", "edbfc3a9", "eda0bdedb880", "61eda0bdedb88062", "61eda080206220edbfbf",
		"eda009", "61ff62", "61ff20c362",
	};

	static BigInteger hash(String token) {
		BigInteger x = BigInteger.valueOf((long) token.charAt(0) << 7);
		for (char unit : token.toCharArray())
			x = x.multiply(BigInteger.valueOf(1000003)).xor(BigInteger.valueOf(unit))
				.and(BigInteger.ONE.shiftLeft(BITS).subtract(BigInteger.ONE));
		return x.xor(BigInteger.valueOf(token.length()));
	}

	public static void main(String[] args) {
		System.out.println("#input_bytes_hex\tn_tokens\thex16");
		for (String hex : INPUTS) {
			String text = new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
			StringTokenizer tokens = new StringTokenizer(text);
			int[] sum = new int[BITS];
			int n = tokens.countTokens();
			long fingerprint = 0;

			while (tokens.hasMoreTokens()) {
				BigInteger h = hash(tokens.nextToken());
				for (int i = 0; i < BITS; i++)
					sum[i] += h.testBit(i) ? 1 : -1;
			}
			for (int i = 0; i < BITS; i++)
				fingerprint |= (sum[i] >= 0 ? 1L : 0L) << i;
			System.out.printf("%s\t%d\t%016x%n", hex, n, fingerprint);
		}
	}
}
